#include "kernels/util/args.h"
#include "kernels/util/copy.h"
#include "kernels/util/shape.h"

et_status et_op_select_copy_int_out(et_kernel_context *context,
                                    et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t index = args[2]->u.as_int;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "select_copy: self", self, 1, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "select_copy", args[1]->u.as_int,
                                   self->rank, &axis));
  const int64_t size = self->sizes[axis];
  ET_CHECK(context, index >= -size && index < size,
           "select_copy: index %lld is out of %lld", (long long)index,
           (long long)size);
  const et_view view = et_view_of(self);
  const et_view selected =
      et_view_select(&view, axis, index < 0 ? index + size : index);
  return et_copy_view_to(context, "select_copy", &selected,
                         args[3]->u.as_tensor);
}
