#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

/* Broadcasts src to the shape of self. The elements of self are not read. */
et_status et_op_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(
      et_tensor_resize(out, self->sizes, self->rank, context->error));
  const et_view to = et_view_of(out);
  const et_view src = et_view_of(args[1]->u.as_tensor);
  et_view expanded;
  ET_CHECK(context, et_view_expand(&src, to.sizes, to.rank, &expanded),
           "copy: src does not broadcast to the shape of self");
  return et_copy_view(context, "copy", &expanded, &to);
}

/* Writes self in place. src broadcasts to it. */
et_status et_op_copy_(et_kernel_context *context, et_value **args) {
  const et_view self = et_view_of(args[0]->u.as_tensor);
  const et_view src = et_view_of(args[1]->u.as_tensor);
  et_view expanded;
  ET_CHECK(context, et_view_expand(&src, self.sizes, self.rank, &expanded),
           "copy_: src does not broadcast to the shape of self");
  return et_copy_view(context, "copy_", &expanded, &self);
}
