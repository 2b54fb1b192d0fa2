#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/window.h"

/* Window o of `out` windows over `in` elements goes from o * in / out to
 * (o + 1) * in / out, rounded outwards: they overlap where out does not divide
 * in. */
static int64_t window_begin(int64_t o, int64_t in, int64_t out) {
  return o * in / out;
}

static int64_t window_end(int64_t o, int64_t in, int64_t out) {
  return ((o + 1) * in + out - 1) / out;
}

static double sum_row(const et_view *in, const uint8_t *row, int64_t count) {
  const ptrdiff_t stride =
      in->strides[3] * (ptrdiff_t)et_scalar_type_size((int32_t)in->dtype);
  double sum = 0.0;
  for (int64_t start = 0; start < count; start += ET_CHUNK) {
    et_chunk chunk;
    const int64_t rest = count - start;
    const size_t n = rest < ET_CHUNK ? (size_t)rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_FLOAT64, in->dtype, row + start * stride, stride, n,
                &chunk);
    for (size_t i = 0; i < n; i++) {
      sum += chunk.float64[i];
    }
  }
  return sum;
}

static double mean_at(const et_view *in, const et_view *out, int64_t n,
                      int64_t c, int64_t oy, int64_t ox) {
  const int64_t y0 = window_begin(oy, in->sizes[2], out->sizes[2]);
  const int64_t y1 = window_end(oy, in->sizes[2], out->sizes[2]);
  const int64_t x0 = window_begin(ox, in->sizes[3], out->sizes[3]);
  const int64_t x1 = window_end(ox, in->sizes[3], out->sizes[3]);
  double sum = 0.0;
  for (int64_t y = y0; y < y1; y++) {
    sum += sum_row(in, et_window_at(in, n, c, y, x0), x1 - x0);
  }
  return sum / (double)((y1 - y0) * (x1 - x0));
}

static void pool_plane(const et_view *in, const et_view *out, int64_t n,
                       int64_t c) {
  for (int64_t oy = 0; oy < out->sizes[2]; oy++) {
    for (int64_t ox = 0; ox < out->sizes[3]; ox++) {
      const double mean = mean_at(in, out, n, c, oy, ox);
      et_store_run(ET_COMPUTE_FLOAT64, &mean, out->dtype,
                   et_window_at(out, n, c, oy, ox), 0, 1);
    }
  }
}

static et_status resize_out(et_kernel_context *context, const et_value *size,
                            const et_tensor *self, et_tensor *out) {
  int64_t spatial[2];
  ET_RETURN_IF_ERROR(et_arg_ints(context, "adaptive_avg_pool2d: output_size",
                                 size, 2, 0, INT32_MAX, NULL, spatial));
  int32_t sizes[4] = {0};
  const size_t leading = (size_t)self->rank - 2;
  for (size_t d = 0; d < self->rank; d++) {
    sizes[d] = d < leading ? self->sizes[d] : (int32_t)spatial[d - leading];
    ET_CHECK(context, d < leading || self->sizes[d] > 0,
             "adaptive_avg_pool2d: dimension %zu of the input is empty", d);
  }
  return et_tensor_resize(out, sizes, self->rank, context->error);
}

et_status et_op_adaptive_avg_pool2d_out(et_kernel_context *context,
                                        et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  ET_CHECK(context, et_scalar_type_is_floating(self->dtype),
           "adaptive_avg_pool2d: dtype %s is not supported",
           et_scalar_type_name((int32_t)self->dtype));
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "adaptive_avg_pool2d", self, out));
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "adaptive_avg_pool2d: self", self, 3, 4));
  ET_RETURN_IF_ERROR(resize_out(context, args[1], self, out));
  const et_view in_view = et_window_view(self);
  const et_view out_view = et_window_view(out);
  for (int64_t n = 0; n < in_view.sizes[0]; n++) {
    for (int64_t c = 0; c < in_view.sizes[1]; c++) {
      pool_plane(&in_view, &out_view, n, c);
    }
  }
  return ET_STATUS_OK;
}
