#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Swaps two dimensions. For rank 0, copies. */
static et_status swap(et_kernel_context *context, const char *what,
                      const et_tensor *self, size_t a, size_t b,
                      et_tensor *out) {
  uint8_t dims[ET_MAX_RANK];
  for (size_t d = 0; d < ET_MAX_RANK; d++) {
    dims[d] = (uint8_t)(d == a ? b : d == b ? a : d);
  }
  const et_view view = et_view_of(self);
  const et_view swapped = et_view_permute(&view, dims);
  return et_copy_view_to(context, what, &swapped, out);
}

et_status et_op_transpose_copy_int_out(et_kernel_context *context,
                                       et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  size_t a = 0;
  size_t b = 0;
  ET_RETURN_IF_ERROR(et_shape_axis(context, "transpose_copy", args[1]->u.as_int,
                                   self->rank, &a));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "transpose_copy", args[2]->u.as_int,
                                   self->rank, &b));
  return swap(context, "transpose_copy", self, a, b, args[3]->u.as_tensor);
}

et_status et_op_t_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "t_copy: self", self, 0, 2));
  return swap(context, "t_copy", self, 0, self->rank == 2 ? 1 : 0,
              args[1]->u.as_tensor);
}
