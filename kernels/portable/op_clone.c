#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* The memory plan has already set the memory format of out. */
et_status et_op_clone_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[2]->u.as_tensor;
  const et_view view = et_view_of(args[0]->u.as_tensor);
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "clone", args[0]->u.as_tensor, out));
  return et_copy_view_to(context, "clone", &view, out);
}
