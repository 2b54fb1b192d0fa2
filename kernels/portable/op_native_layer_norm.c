#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"

/* `rows` rows of `width` elements, in row-major order. */
typedef struct layer_norm {
  const et_tensor *input;
  const et_tensor *weight; /* [width], or NULL */
  const et_tensor *bias;
  et_tensor *out;
  et_tensor *mean;
  et_tensor *rstd;
  size_t rows;
  size_t width;
  double eps;
} layer_norm;

typedef struct moments {
  double mean;
  double rstd;
} moments;

/* Loads up to a chunk of elements from `start`, or `absent` for each element of
 * a NULL tensor. */
static void load(const et_tensor *tensor, size_t start, size_t count,
                 double absent, et_chunk *out) {
  if (tensor == NULL) {
    for (size_t i = 0; i < count; i++) {
      out->float64[i] = absent;
    }
    return;
  }
  const size_t size = et_scalar_type_size((int32_t)tensor->dtype);
  et_load_run(ET_COMPUTE_FLOAT64, tensor->dtype,
              (const uint8_t *)tensor->data + start * size, (ptrdiff_t)size,
              count, out);
}

static void store(et_tensor *tensor, size_t start, size_t count,
                  const void *values) {
  const size_t size = et_scalar_type_size((int32_t)tensor->dtype);
  et_store_run(ET_COMPUTE_FLOAT64, values, tensor->dtype,
               (uint8_t *)tensor->data + start * size, (ptrdiff_t)size, count);
}

static size_t chunk_size(size_t width, size_t start) {
  return width - start < ET_CHUNK ? width - start : ET_CHUNK;
}

/* Returns the sum of (x - shift), or of its square, over a row. */
static double sum_powers(const layer_norm *p, size_t row, double shift,
                         bool squared) {
  double sum = 0.0;
  for (size_t start = 0; start < p->width; start += ET_CHUNK) {
    et_chunk x;
    const size_t n = chunk_size(p->width, start);
    load(p->input, row * p->width + start, n, 0.0, &x);
    for (size_t i = 0; i < n; i++) {
      const double d = x.float64[i] - shift;
      sum += squared ? d * d : d;
    }
  }
  return sum;
}

static moments moments_of(const layer_norm *p, size_t row) {
  const double mean = sum_powers(p, row, 0.0, false) / (double)p->width;
  const double variance = sum_powers(p, row, mean, true) / (double)p->width;
  return (moments){mean, 1.0 / sqrt(variance + p->eps)};
}

static void normalise_row(const layer_norm *p, size_t row, moments m) {
  for (size_t start = 0; start < p->width; start += ET_CHUNK) {
    et_chunk x;
    et_chunk weight;
    et_chunk bias;
    const size_t n = chunk_size(p->width, start);
    load(p->input, row * p->width + start, n, 0.0, &x);
    load(p->weight, start, n, 1.0, &weight);
    load(p->bias, start, n, 0.0, &bias);
    for (size_t i = 0; i < n; i++) {
      x.float64[i] = (x.float64[i] - m.mean) * m.rstd * weight.float64[i] +
                     bias.float64[i];
    }
    store(p->out, row * p->width + start, n, &x);
  }
}

static bool is_plain(const et_tensor *tensor) {
  return tensor == NULL || (et_tensor_is_contiguous(tensor) &&
                            et_scalar_type_is_floating(tensor->dtype));
}

static et_status check_layouts(et_kernel_context *context,
                               const layer_norm *p) {
  const et_tensor *tensors[6] = {p->input, p->weight, p->bias,
                                 p->out,   p->mean,   p->rstd};
  for (size_t i = 0; i < 6; i++) {
    ET_CHECK(context, is_plain(tensors[i]),
             "layer_norm: tensor %zu must be floating and in row-major order",
             i);
  }
  return et_shape_same_dtype(context, "layer_norm", p->input, p->out);
}

/* Checks that the last dimensions match `shape`, and sets `rows` and
 * `width`. */
static et_status check_shape(et_kernel_context *context, const et_value *shape,
                             layer_norm *p) {
  const size_t rank = p->input->rank;
  const size_t count = shape->u.as_list.size;
  ET_CHECK(context, count >= 1 && count <= rank,
           "layer_norm: %zu normalized dimensions, input has %zu", count, rank);
  p->rows = 1;
  p->width = 1;
  for (size_t d = 0; d < rank; d++) {
    const size_t leading = rank - count;
    *(d < leading ? &p->rows : &p->width) *= (size_t)p->input->sizes[d];
    ET_CHECK(
        context,
        d < leading || et_int_list_at(shape, d - leading) == p->input->sizes[d],
        "layer_norm: dimension %zu differs from normalized_shape", d);
  }
  const bool fits = (p->weight == NULL || p->weight->numel == p->width) &&
                    (p->bias == NULL || p->bias->numel == p->width);
  ET_CHECK(context, fits, "layer_norm: weight and bias must have %zu elements",
           p->width);
  return ET_STATUS_OK;
}

/* Normalized dimensions have size 1 in the statistics. */
static et_status resize_outs(et_kernel_context *context, size_t normalized,
                             layer_norm *p) {
  int32_t sizes[ET_MAX_RANK];
  const size_t rank = p->input->rank;
  for (size_t d = 0; d < rank; d++) {
    sizes[d] = d < rank - normalized ? p->input->sizes[d] : 1;
  }
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, p->out, p->input));
  ET_RETURN_IF_ERROR(et_tensor_resize(p->mean, sizes, rank, context->error));
  return et_tensor_resize(p->rstd, sizes, rank, context->error);
}

et_status et_op_native_layer_norm_out(et_kernel_context *context,
                                      et_value **args) {
  layer_norm p = {.input = args[0]->u.as_tensor,
                  .weight = et_arg_tensor(args[2]),
                  .bias = et_arg_tensor(args[3]),
                  .out = args[5]->u.as_tensor,
                  .mean = args[6]->u.as_tensor,
                  .rstd = args[7]->u.as_tensor,
                  .eps = et_scalar_to_double(args[4])};
  ET_RETURN_IF_ERROR(check_layouts(context, &p));
  ET_RETURN_IF_ERROR(check_shape(context, args[1], &p));
  ET_RETURN_IF_ERROR(resize_outs(context, args[1]->u.as_list.size, &p));
  for (size_t row = 0; row < p.rows; row++) {
    const moments m = moments_of(&p, row);
    store(p.mean, row, 1, &m.mean);
    store(p.rstd, row, 1, &m.rstd);
    normalise_row(&p, row, m);
  }
  return ET_STATUS_OK;
}
