#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

et_status et_op_fill_scalar_out(et_kernel_context *context, et_value **args) {
  return et_fill_like(context, "fill", args[1], args[0]->u.as_tensor,
                      args[2]->u.as_tensor);
}

et_status et_op_fill_tensor_out(et_kernel_context *context, et_value **args) {
  const et_tensor *value = args[1]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "fill: value", value, 0, 0));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, args[0]->u.as_tensor));
  const et_view element = et_view_of(value);
  const et_view view = et_view_of(out);
  et_view expanded;
  et_view_expand(&element, view.sizes, view.rank, &expanded);
  return et_copy_view(context, "fill", &expanded, &view);
}
