#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

et_status et_op_narrow_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t length = args[3]->u.as_int;
  int64_t start = args[2]->u.as_int;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, "narrow_copy", self->rank,
                                        args[1]->u.as_int, &axis));
  const int64_t size = self->sizes[axis];
  ET_CHECK(context, start >= -size && start <= size,
           "narrow_copy: start %lld is out of range for size %lld",
           (long long)start, (long long)size);
  start = start < 0 ? start + size : start;
  ET_CHECK(context, length >= 0 && length <= size - start,
           "narrow_copy: start %lld + length %lld exceeds size %lld",
           (long long)start, (long long)length, (long long)size);
  const et_view view = et_view_of(self);
  const et_view part = et_view_slice(&view, axis, start, 1, (int32_t)length);
  return et_copy_view_to(context, "narrow_copy", &part, args[4]->u.as_tensor);
}
