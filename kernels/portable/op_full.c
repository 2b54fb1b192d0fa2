#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

et_status et_op_full_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[2]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(
      et_arg_sizes(context, "full: size", args[0], sizes, &rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  const et_view view = et_view_of(out);
  return et_fill_view(context, "full", args[1], &view);
}

et_status et_op_full_like_out(et_kernel_context *context, et_value **args) {
  return et_fill_like(context, "full_like", args[1], args[0]->u.as_tensor,
                      args[3]->u.as_tensor);
}

et_status et_op_scalar_tensor_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[1]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_tensor_resize(out, NULL, 0, context->error));
  const et_view view = et_view_of(out);
  return et_fill_view(context, "scalar_tensor", args[0], &view);
}
