#include "kernels/util/args.h"
#include "kernels/util/copy.h"
#include "kernels/util/shape.h"

/* A bound counted from the end when negative, and then clipped. */
static int64_t clip(int64_t bound, int64_t size) {
  const int64_t at = bound < 0 ? bound + size : bound;
  return at < 0 ? 0 : at > size ? size : at;
}

et_status et_op_slice_copy_tensor_out(et_kernel_context *context,
                                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t step = args[4]->u.as_int;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "slice_copy: self", self, 1, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "slice_copy", args[1]->u.as_int,
                                   self->rank, &axis));
  ET_CHECK(context, step >= 1, "slice_copy: step %lld is not positive",
           (long long)step);
  const int64_t size = self->sizes[axis];
  const int64_t start = clip(et_arg_int_or(args[2], 0), size);
  const int64_t end = clip(et_arg_int_or(args[3], INT64_MAX), size);
  const int64_t count = end > start ? (end - start - 1) / step + 1 : 0;
  const et_view view = et_view_of(self);
  const et_view slice = et_view_slice(&view, axis, start, step, (int32_t)count);
  return et_copy_view_to(context, "slice_copy", &slice, args[5]->u.as_tensor);
}
