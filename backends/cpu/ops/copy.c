/* Op copy: copies a strided region of each input to a region of the output. Slices, concatenation,
 * padding, expansion and flips are copies. */
#include "backends/cpu/schema/copy.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

#define CHUNK 64 /* rows per chunk */

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_copy_args args = et_cpu_copy_args_of(op);
  const size_t count = args.inputs_count * args.y->rank;
  ET_CPU_CHECK(error, op->dim_count == 2 * count,
               "copy: %d dims, expected %zu: two per input and dimension",
               (int)op->dim_count, 2 * count);
  ET_CPU_CHECK(error, args.attributes.strides_count == count,
               "copy: %zu strides, expected %zu: one per input and dimension",
               args.attributes.strides_count, count);
  for (size_t i = 0; i < args.inputs_count; i++) {
    const et_cpu_tensor *x = args.inputs[i];
    ET_RETURN_IF_ERROR(
        et_cpu_check_dtype(op, x, (et_scalar_type)args.y->dtype, error));
    ET_CPU_CHECK(error, x->rank == args.y->rank,
                 "copy: tensor %zu has %d dims, expected %d", i, (int)x->rank,
                 (int)args.y->rank);
  }
  ET_CPU_CHECK(
      error,
      !args.attributes.has_fill || args.y->dtype == ET_SCALAR_TYPE_FLOAT32,
      "copy: fill is not supported for dtype %s, expected float32",
      et_scalar_type_name(args.y->dtype));
  return ET_STATUS_OK;
}

/* One dimension of the region of an input. Element start + k * stride of the input is copied to
 * element first + k of the output. */
typedef struct region {
  int64_t start;
  int64_t first;
  int64_t stride;
} region;

static region region_of(const et_cpu_op *op, const et_cpu_copy_args *args,
                        size_t input, size_t dim) {
  const size_t at = input * args->y->rank + dim;
  return (region){*op->dims[2 * at], *op->dims[2 * at + 1],
                  (int32_t)args->attributes.strides[at]};
}

/* The copy of one input. The last dimension is a row. Strides are in elements. */
typedef struct work {
  const char *x;
  char *y;
  size_t element; /* size of an element in bytes */
  size_t rank;
  size_t counts[ET_CPU_MAX_RANK];
  ptrdiff_t x_strides[ET_CPU_MAX_RANK];
  size_t y_strides[ET_CPU_MAX_RANK];
  size_t rows;
} work;

/* Returns the number of elements along a dimension that are inside both tensors. The region can
 * extend beyond them. */
static size_t count_of(int64_t x_size, int64_t y_size, region r) {
  const bool inside =
      r.start >= 0 && r.start < x_size && r.first >= 0 && r.first < y_size;
  if (!inside) {
    return 0;
  }
  const int64_t in_y = y_size - r.first;
  if (r.stride == 0) {
    return (size_t)in_y;
  }
  const int64_t in_x = r.stride > 0
                           ? (x_size - r.start + r.stride - 1) / r.stride
                           : r.start / -r.stride + 1;
  return (size_t)(in_x < in_y ? in_x : in_y);
}

static size_t stride_of(const et_cpu_tensor *x, size_t dim) {
  size_t stride = 1;
  for (size_t i = dim + 1; i < x->rank; i++) {
    stride *= (size_t)x->sizes[i];
  }
  return stride;
}

static void set_dim(work *w, const et_cpu_op *op, const et_cpu_copy_args *args,
                    size_t input, size_t dim) {
  const et_cpu_tensor *x = args->inputs[input];
  const et_cpu_tensor *y = args->y;
  const region r = region_of(op, args, input, dim);
  const size_t x_stride = stride_of(x, dim);
  w->counts[dim] = count_of(x->sizes[dim], y->sizes[dim], r);
  w->y_strides[dim] = stride_of(y, dim);
  /* The stride of a single element is not used, and its product can overflow ptrdiff_t. */
  w->x_strides[dim] =
      (w->counts[dim] > 1 ? (ptrdiff_t)r.stride : 1) * (ptrdiff_t)x_stride;
  if (w->counts[dim] > 0) {
    w->x += (size_t)r.start * x_stride * w->element;
    w->y += (size_t)r.first * w->y_strides[dim] * w->element;
  }
}

/* Joins trailing dimensions that are contiguous in both tensors. */
static void join_dims(work *w) {
  while (w->rank > 1) {
    const size_t last = w->rank - 1;
    const size_t count = w->counts[last];
    if (w->x_strides[last] != 1 || w->y_strides[last - 1] != count ||
        w->x_strides[last - 1] != (ptrdiff_t)count) {
      return;
    }
    w->counts[last - 1] *= count;
    w->x_strides[last - 1] = 1;
    w->y_strides[last - 1] = 1;
    w->rank--;
  }
}

/* The input must not be empty, because strides of empty tensors can overflow. */
static work plan(const et_cpu_op *op, const et_cpu_copy_args *args,
                 size_t input) {
  work w = {.x = args->inputs[input]->data,
            .y = args->y->data,
            .element = et_scalar_type_size(args->y->dtype),
            .rank = args->y->rank,
            .counts = {1},
            .x_strides = {1},
            .rows = 1};
  for (size_t dim = 0; dim < w.rank; dim++) {
    set_dim(&w, op, args, input, dim);
  }
  w.rank = w.rank > 0 ? w.rank : 1; /* A scalar is a row of one element. */
  join_dims(&w);
  for (size_t dim = 0; dim + 1 < w.rank; dim++) {
    w.rows *= w.counts[dim];
  }
  return w;
}

static void copy_row(const work *w, size_t index) {
  const size_t last = w->rank - 1;
  const ptrdiff_t element = (ptrdiff_t)w->element;
  const char *from = w->x;
  char *to = w->y;
  for (size_t dim = last; dim-- > 0;) {
    const size_t at = index % w->counts[dim];
    from += (ptrdiff_t)at * w->x_strides[dim] * element;
    to += at * w->y_strides[dim] * w->element;
    index /= w->counts[dim];
  }
  if (w->x_strides[last] == 1) {
    memcpy(to, from, w->counts[last] * w->element);
    return;
  }
  for (size_t i = 0; i < w->counts[last]; i++, to += element) {
    memcpy(to, from + (ptrdiff_t)i * w->x_strides[last] * element, w->element);
  }
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * CHUNK;
  for (size_t i = 0; i < et_cpu_part(w->rows, CHUNK, index); i++) {
    copy_row(w, first + i);
  }
}

static void fill(const et_cpu_tensor *y, float value) {
  float *data = y->data;
  for (size_t i = 0; i < y->numel; i++) {
    data[i] = value;
  }
}

/* Returns whether the inputs fill y. They are adjacent along the first dimension that input 0 does
 * not fill, and each fills all other dimensions. Other ways to fill y are not recognized. */
static bool is_covered(const et_cpu_op *op, const et_cpu_copy_args *args) {
  const int32_t *y = args->y->sizes;
  const size_t rank = args->y->rank;
  size_t along = 0;
  int64_t end = 0;
  while (along + 1 < rank &&
         count_of(args->inputs[0]->sizes[along], y[along],
                  region_of(op, args, 0, along)) == (size_t)y[along]) {
    along++;
  }
  for (size_t i = 0; i < args->inputs_count; i++) {
    for (size_t dim = 0; dim < rank; dim++) {
      const region r = region_of(op, args, i, dim);
      const size_t count = count_of(args->inputs[i]->sizes[dim], y[dim], r);
      if (dim != along ? count != (size_t)y[dim] : r.first != end) {
        return false;
      }
      end += dim == along ? (int64_t)count : 0;
    }
  }
  return rank == 0 || end == y[along];
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_copy_args args = et_cpu_copy_args_of(op);
  if (args.attributes.has_fill) {
    fill(args.y, args.attributes.fill);
  } else if (args.y->bytes > 0 && !is_covered(op, &args)) {
    memset(args.y->data, 0, args.y->bytes);
  }
  for (size_t i = 0; i < args.inputs_count; i++) {
    if (args.inputs[i]->numel == 0) {
      continue;
    }
    work w = plan(op, &args, i);
    if (w.counts[w.rank - 1] > 0) {
      et_cpu_for_each(run, et_cpu_parts(w.rows, CHUNK), run_chunk, &w);
    }
  }
}

static const et_cpu_op_type op_type = {&et_cpu_copy_schema, check, run};
const et_backend_part et_cpu_op_copy = {ET_CPU_OP_COPY, &op_type};
