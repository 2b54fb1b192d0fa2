#include "executorch/kernels/shape.h"
#include "kernels/portable/lines.h"

static et_status sort(et_kernel_context *context, const et_tensor *self,
                      int64_t dim, bool descending, et_tensor *values,
                      et_tensor *indices) {
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_axis(context, "sort", dim, self->rank, &axis));
  const int64_t length = self->rank == 0 ? 1 : self->sizes[axis];
  return et_order_first(context, "sort", self, dim, length, descending, values,
                        indices);
}

et_status et_op_sort_values(et_kernel_context *context, et_value **args) {
  return sort(context, args[0]->u.as_tensor, args[1]->u.as_int,
              args[2]->u.as_bool, args[3]->u.as_tensor, args[4]->u.as_tensor);
}

/* The sort is always stable. */
et_status et_op_sort_values_stable(et_kernel_context *context,
                                   et_value **args) {
  return sort(context, args[0]->u.as_tensor, args[2]->u.as_int,
              args[3]->u.as_bool, args[4]->u.as_tensor, args[5]->u.as_tensor);
}
