#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "kernels/engines/window.h"

static et_status pool(et_kernel_context *context, const char *name, size_t dims,
                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  et_window w;
  et_position o = {0};
  ET_CHECK_DTYPE(context, et_scalar_type_is_floating(self->dtype), name,
                 self->dtype);
  ET_RETURN_IF_ERROR(
      et_window_plan_adaptive(context, name, dims, self, args[1], out, &w));
  for (bool more = out->numel > 0; more; more = et_window_next(&w.out, &o)) {
    const et_box box = et_window_adaptive_box(&w, &o);
    const double mean =
        et_window_sum(&w.in, &o, &box) / (double)et_box_count(&box);
    et_store_run(ET_COMPUTE_FLOAT64, &mean, out->dtype,
                 et_window_at(&w.out, &o), 0, 1);
  }
  return ET_STATUS_OK;
}

et_status et_op_adaptive_avg_pool2d_out(et_kernel_context *context,
                                        et_value **args) {
  return pool(context, "adaptive_avg_pool2d", 2, args);
}

et_status et_op_adaptive_avg_pool3d_out(et_kernel_context *context,
                                        et_value **args) {
  return pool(context, "adaptive_avg_pool3d", 3, args);
}
