#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "kernels/engines/resample.h"
#include "kernels/engines/window.h"

static double element(const et_view *in, int64_t n, int64_t c, int64_t y,
                      int64_t x) {
  const et_position position = {n, c, 0, y, x};
  double value = 0.0;
  et_load_run(ET_COMPUTE_FLOAT64, in->dtype, et_window_at(in, &position), 0, 1,
              &value);
  return value;
}

static double between(double a, double b, double weight) {
  return a * (1.0 - weight) + b * weight;
}

static void resample_row(const et_resample *r, int64_t n, int64_t c,
                         int64_t oy) {
  int64_t y0 = 0;
  int64_t y1 = 0;
  double wy = 0.0;
  et_resample_linear(&r->y, oy, &y0, &y1, &wy);
  for (int64_t ox = 0; ox < r->x.out; ox++) {
    int64_t x0 = 0;
    int64_t x1 = 0;
    double wx = 0.0;
    et_resample_linear(&r->x, ox, &x0, &x1, &wx);
    const double top = between(element(&r->in, n, c, y0, x0),
                               element(&r->in, n, c, y0, x1), wx);
    const double bottom = between(element(&r->in, n, c, y1, x0),
                                  element(&r->in, n, c, y1, x1), wx);
    const double value = between(top, bottom, wy);
    const et_position o = {n, c, 0, oy, ox};
    et_store_run(ET_COMPUTE_FLOAT64, &value, r->out.dtype,
                 et_window_at(&r->out, &o), 0, 1);
  }
}

et_status et_op_upsample_bilinear2d_vec_out(et_kernel_context *context,
                                            et_value **args) {
  et_resample r;
  ET_CHECK_DTYPE(context,
                 et_scalar_type_is_floating(args[0]->u.as_tensor->dtype),
                 "upsample_bilinear2d", args[0]->u.as_tensor->dtype);
  ET_RETURN_IF_ERROR(et_resample_plan(
      context, "upsample_bilinear2d", args[0]->u.as_tensor, args[1], args[3],
      args[2]->u.as_bool, args[4]->u.as_tensor, &r));
  for (int64_t n = 0; n < r.in.sizes[0]; n++) {
    for (int64_t c = 0; c < r.in.sizes[1]; c++) {
      for (int64_t oy = 0; oy < r.y.out; oy++) {
        resample_row(&r, n, c, oy);
      }
    }
  }
  return ET_STATUS_OK;
}
