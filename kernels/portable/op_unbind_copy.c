#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

et_status et_op_unbind_copy_int_out(et_kernel_context *context,
                                    et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const size_t count = args[2]->u.as_list.size;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, "unbind_copy", self->rank,
                                        args[1]->u.as_int, &axis));
  ET_CHECK(context, (size_t)self->sizes[axis] == count,
           "unbind_copy: %d parts, but %zu outs", (int)self->sizes[axis],
           count);
  const et_view view = et_view_of(self);
  for (size_t i = 0; i < count; i++) {
    const et_view part = et_view_select(&view, axis, (int64_t)i);
    ET_RETURN_IF_ERROR(et_copy_view_to(context, "unbind_copy", &part,
                                       et_arg_list_tensor(args[2], i)));
  }
  return ET_STATUS_OK;
}
