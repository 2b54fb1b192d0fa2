#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* The dimension becomes the window index. A new last dimension holds the
 * elements of a window. */
et_status et_op_unfold_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t size = args[2]->u.as_int;
  const int64_t step = args[3]->u.as_int;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "unfold_copy: self", self, 1, ET_MAX_RANK - 1));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "unfold_copy", args[1]->u.as_int,
                                   self->rank, &axis));
  const int64_t length = self->sizes[axis];
  ET_CHECK(context, size >= 0 && size <= length,
           "unfold_copy: size %lld is not in [0, %lld]", (long long)size,
           (long long)length);
  ET_CHECK(context, step > 0, "unfold_copy: step %lld is not positive",
           (long long)step);
  const et_view view = et_view_of(self);
  et_view windows = et_view_slice(&view, axis, 0, step,
                                  (int32_t)((length - size) / step + 1));
  windows.sizes[windows.rank] = (int32_t)size;
  windows.strides[windows.rank++] = view.strides[axis];
  return et_copy_view_to(context, "unfold_copy", &windows,
                         args[4]->u.as_tensor);
}
