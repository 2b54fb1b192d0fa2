#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "kernels/engines/window.h"

/* A window along one axis: [begin, end) lies in the input; [begin, padded_end)
 * from the padded start on is what count_include_pad counts. */
typedef struct span {
  int64_t begin;
  int64_t end;
  int64_t padded;
} span;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static span span_of(const et_conv_axis *axis, int64_t o) {
  const int64_t start = o * axis->stride - axis->padding;
  const int64_t stop = smaller(start + axis->kernel, axis->in + axis->padding);
  return (span){start < 0 ? 0 : start, smaller(stop, axis->in), stop - start};
}

static double sum_window(const et_window *w, int64_t n, int64_t c,
                         const span *y, const span *x) {
  const ptrdiff_t stride =
      w->in.strides[3] * (ptrdiff_t)et_scalar_type_size((int32_t)w->in.dtype);
  double sum = 0.0;
  for (int64_t iy = y->begin; iy < y->end; iy++) {
    for (int64_t ix = x->begin; ix < x->end; ix += ET_CHUNK) {
      et_chunk row;
      const size_t count = (size_t)smaller(ET_CHUNK, x->end - ix);
      et_load_run(ET_COMPUTE_FLOAT64, w->in.dtype,
                  et_window_at(&w->in, n, c, iy, ix), stride, count, &row);
      for (size_t i = 0; i < count; i++) {
        sum += row.float64[i];
      }
    }
  }
  return sum;
}

static void pool_plane(const et_window *w, int64_t n, int64_t c,
                       bool include_pad, int64_t divisor) {
  for (int64_t oy = 0; oy < w->y.out; oy++) {
    for (int64_t ox = 0; ox < w->x.out; ox++) {
      const span y = span_of(&w->y, oy);
      const span x = span_of(&w->x, ox);
      const int64_t inside = (y.end - y.begin) * (x.end - x.begin);
      const int64_t count = include_pad ? y.padded * x.padded : inside;
      const double mean = sum_window(w, n, c, &y, &x) /
                          (double)(divisor != 0 ? divisor : count);
      et_store_run(ET_COMPUTE_FLOAT64, &mean, w->out.dtype,
                   et_window_at(&w->out, n, c, oy, ox), 0, 1);
    }
  }
}

et_status et_op_avg_pool2d_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_window_arguments arguments = {
      "avg_pool2d", args[1], args[2], args[3], NULL, args[4]->u.as_bool};
  const bool include_pad = args[5]->u.as_bool;
  const int64_t divisor = et_arg_int_or(args[6], 0);
  et_window window;
  ET_CHECK(context, et_scalar_type_is_floating(self->dtype),
           "avg_pool2d: dtype %s is not supported",
           et_scalar_type_name((int32_t)self->dtype));
  ET_CHECK(context, et_arg_is_none(args[6]) || divisor != 0,
           "avg_pool2d: divisor_override must not be zero");
  ET_RETURN_IF_ERROR(
      et_window_plan(context, &arguments, self, args[7]->u.as_tensor, &window));
  for (int64_t n = 0; n < window.in.sizes[0]; n++) {
    for (int64_t c = 0; c < window.in.sizes[1]; c++) {
      pool_plane(&window, n, c, include_pad, divisor);
    }
  }
  return ET_STATUS_OK;
}
