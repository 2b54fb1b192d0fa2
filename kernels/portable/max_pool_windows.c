#include "kernels/portable/max_pool.h"

et_status et_max_pool_windows(et_kernel_context *context, const char *name,
                              size_t dims, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[6]->u.as_tensor;
  et_tensor *indices = args[7]->u.as_tensor;
  const et_window_arguments arguments = {
      name, dims, args[1], args[2], args[3], args[4], args[5]->u.as_bool};
  et_window window;
  ET_RETURN_IF_ERROR(et_max_pool_check(context, name, self, indices));
  ET_RETURN_IF_ERROR(et_window_plan(context, &arguments, self, out, &window));
  return et_max_pool_run(context, &window, dims, et_window_box, out, indices);
}
