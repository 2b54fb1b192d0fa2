#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Removes the given dimensions whose size is 1. */
static et_status squeeze(et_kernel_context *context, const et_tensor *self,
                         const bool *axes, et_tensor *out) {
  et_view view = et_view_of(self);
  for (size_t d = self->rank; d-- > 0;) {
    if (axes[d] && self->sizes[d] == 1) {
      view = et_view_select(&view, d, 0);
    }
  }
  return et_copy_view_to(context, "squeeze_copy", &view, out);
}

et_status et_op_squeeze_copy_dims_out(et_kernel_context *context,
                                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  bool axes[ET_MAX_RANK] = {false};
  if (args[1]->u.as_list.size > 0) {
    ET_RETURN_IF_ERROR(
        et_shape_axes(context, "squeeze_copy", args[1], self->rank, axes));
  }
  return squeeze(context, self, axes, args[2]->u.as_tensor);
}

et_status et_op_squeeze_copy_dim_out(et_kernel_context *context,
                                     et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  bool axes[ET_MAX_RANK] = {false};
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_axis(context, "squeeze_copy", args[1]->u.as_int,
                                   self->rank, &axis));
  axes[axis] = true;
  return squeeze(context, self, axes, args[2]->u.as_tensor);
}
