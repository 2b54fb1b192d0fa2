#include "kernels/portable/lines.h"

#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"

/* One row of `count` elements. Strides are in bytes. */
typedef struct row {
  et_scalar_type in_dtype;
  et_scalar_type out_dtype;
  const uint8_t *in;
  uint8_t *out;
  ptrdiff_t in_stride;
  ptrdiff_t out_stride;
  size_t count;
} row;

/* Loads up to a chunk from element `start`, and returns the number of
 * elements. */
static size_t load(const row *r, size_t start, et_chunk *chunk) {
  const size_t rest = r->count - start;
  const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
  et_load_run(ET_COMPUTE_FLOAT64, r->in_dtype,
              r->in + (ptrdiff_t)start * r->in_stride, r->in_stride, n, chunk);
  return n;
}

/* Returns the largest element, or NaN if there is one. */
static double largest(const row *r) {
  double found = -INFINITY;
  for (size_t start = 0; start < r->count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t n = load(r, start, &chunk);
    for (size_t i = 0; i < n; i++) {
      const double x = chunk.float64[i];
      found = x > found || x != x ? x : found;
    }
  }
  return found;
}

static double sum_of_exponentials(const row *r, double shift) {
  double sum = 0.0;
  for (size_t start = 0; start < r->count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t n = load(r, start, &chunk);
    for (size_t i = 0; i < n; i++) {
      sum += exp(chunk.float64[i] - shift);
    }
  }
  return sum;
}

static void compute_row(const row *r, bool logarithm) {
  const double shift = largest(r);
  const double sum = sum_of_exponentials(r, shift);
  const double log_sum = log(sum);
  for (size_t start = 0; start < r->count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t n = load(r, start, &chunk);
    for (size_t i = 0; i < n; i++) {
      const double x = chunk.float64[i] - shift;
      chunk.float64[i] = logarithm ? x - log_sum : exp(x) / sum;
    }
    et_store_run(ET_COMPUTE_FLOAT64, &chunk, r->out_dtype,
                 r->out + (ptrdiff_t)start * r->out_stride, r->out_stride, n);
  }
}

/* `rows` are views of the first element of each row, in out and self. */
static void compute_rows(row r, const et_view rows[2], bool logarithm) {
  for (et_loop loop = et_loop_over(rows, 2); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      r.out = loop.at[0] + (ptrdiff_t)i * loop.strides[0];
      r.in = loop.at[1] + (ptrdiff_t)i * loop.strides[1];
      compute_row(&r, logarithm);
    }
  }
}

static ptrdiff_t byte_stride(const et_tensor *tensor, size_t dim) {
  return tensor->strides[dim] *
         (ptrdiff_t)et_scalar_type_size((int32_t)tensor->dtype);
}

et_status et_softmax_run(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, bool logarithm,
                         et_tensor *out) {
  size_t axis = 0;
  ET_CHECK(context,
           et_scalar_type_is_floating(self->dtype) &&
               et_scalar_type_is_floating(out->dtype),
           "%s: %s or %s is not a floating dtype; cast it to float32", what,
           et_scalar_type_name((int32_t)self->dtype),
           et_scalar_type_name((int32_t)out->dtype));
  ET_RETURN_IF_ERROR(et_shape_axis(context, what, dim, self->rank, &axis));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  row r = {self->dtype, out->dtype, self->data, out->data, 0, 0, 1};
  et_view rows[2] = {et_view_of(out), et_view_of(self)};
  if (self->rank > 0) {
    r.in_stride = byte_stride(self, axis);
    r.out_stride = byte_stride(out, axis);
    r.count = (size_t)self->sizes[axis];
    rows[0] = et_view_select(&rows[0], axis, 0);
    rows[1] = et_view_select(&rows[1], axis, 0);
  }
  compute_rows(r, rows, logarithm);
  return ET_STATUS_OK;
}
