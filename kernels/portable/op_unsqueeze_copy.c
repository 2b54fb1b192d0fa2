#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

et_status et_op_unsqueeze_copy_out(et_kernel_context *context,
                                   et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "unsqueeze_copy: self", self, 0, ET_MAX_RANK - 1));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "unsqueeze_copy", args[1]->u.as_int,
                                   (size_t)self->rank + 1, &axis));
  et_view view = et_view_of(self);
  for (size_t d = view.rank++; d > axis; d--) {
    view.sizes[d] = view.sizes[d - 1];
    view.strides[d] = view.strides[d - 1];
  }
  view.sizes[axis] = 1;
  return et_copy_view_to(context, "unsqueeze_copy", &view,
                         args[2]->u.as_tensor);
}
