#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

et_status et_op_flip_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_view view = et_view_of(self);
  bool axes[ET_MAX_RANK] = {false};
  if (args[1]->u.as_list.size > 0) {
    ET_RETURN_IF_ERROR(
        et_shape_axes(context, "flip", args[1], self->rank, axes));
  }
  for (size_t d = 0; d < self->rank; d++) {
    if (axes[d]) {
      view = et_view_slice(&view, d, self->sizes[d] - 1, -1, self->sizes[d]);
    }
  }
  return et_copy_view_to(context, "flip", &view, args[2]->u.as_tensor);
}
