#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

static et_status read_dims(et_kernel_context *context, const et_value *list,
                           size_t rank, uint8_t *dims) {
  bool seen[ET_MAX_RANK] = {false};
  ET_CHECK(context, list->u.as_list.size == rank,
           "permute_copy: got %zu dims for %zu dimensions",
           list->u.as_list.size, rank);
  for (size_t i = 0; i < rank; i++) {
    size_t axis = 0;
    ET_RETURN_IF_ERROR(et_shape_axis(context, "permute_copy",
                                     et_int_list_at(list, i), rank, &axis));
    ET_CHECK(context, !seen[axis], "permute_copy: dimension %zu is repeated",
             axis);
    seen[axis] = true;
    dims[i] = (uint8_t)axis;
  }
  return ET_STATUS_OK;
}

et_status et_op_permute_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  uint8_t dims[ET_MAX_RANK];
  ET_RETURN_IF_ERROR(read_dims(context, args[1], self->rank, dims));
  const et_view view = et_view_of(self);
  const et_view permuted = et_view_permute(&view, dims);
  return et_copy_view_to(context, "permute_copy", &permuted,
                         args[2]->u.as_tensor);
}
