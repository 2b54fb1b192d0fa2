/* alias_copy, detach_copy and lift_fresh_copy. They differ only in
 * gradients. */
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

static et_status copy(et_kernel_context *context, const char *what,
                      et_value **args) {
  et_tensor *out = args[1]->u.as_tensor;
  const et_view view = et_view_of(args[0]->u.as_tensor);
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, what, args[0]->u.as_tensor, out));
  return et_copy_view_to(context, what, &view, out);
}

et_status et_op_alias_copy_out(et_kernel_context *context, et_value **args) {
  return copy(context, "alias_copy", args);
}

et_status et_op_detach_copy_out(et_kernel_context *context, et_value **args) {
  return copy(context, "detach_copy", args);
}

et_status et_op_lift_fresh_copy_out(et_kernel_context *context,
                                    et_value **args) {
  return copy(context, "lift_fresh_copy", args);
}
