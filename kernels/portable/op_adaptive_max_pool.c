#include "kernels/portable/max_pool.h"

static et_status pool(et_kernel_context *context, const char *name, size_t dims,
                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  et_tensor *indices = args[3]->u.as_tensor;
  et_window window;
  ET_RETURN_IF_ERROR(et_max_pool_check(context, name, self, indices));
  ET_RETURN_IF_ERROR(et_window_plan_adaptive(context, name, dims, self, args[1],
                                             out, &window));
  return et_max_pool_run(context, &window, dims, et_window_adaptive_box, out,
                         indices);
}

et_status et_op_adaptive_max_pool2d_out(et_kernel_context *context,
                                        et_value **args) {
  return pool(context, "adaptive_max_pool2d", 2, args);
}

et_status et_op_adaptive_max_pool3d_out(et_kernel_context *context,
                                        et_value **args) {
  return pool(context, "adaptive_max_pool3d", 3, args);
}
