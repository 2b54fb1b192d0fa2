#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

static et_status check_split_sizes(et_kernel_context *context,
                                   const et_value *split_sizes, int64_t size,
                                   const et_value *outs) {
  const size_t count = split_sizes->u.as_list.size;
  ET_CHECK(context, count == outs->u.as_list.size,
           "split_with_sizes_copy: %zu sizes, but %zu outs", count,
           outs->u.as_list.size);
  int64_t rest = size;
  for (size_t i = 0; i < count; i++) {
    const int64_t part = et_int_list_at(split_sizes, i);
    ET_CHECK(context, part >= 0 && part <= rest,
             "split_with_sizes_copy: size %lld of part %zu is out of range",
             (long long)part, i);
    rest -= part;
  }
  ET_CHECK(context, rest == 0,
           "split_with_sizes_copy: the sizes omit %lld of %lld elements",
           (long long)rest, (long long)size);
  return ET_STATUS_OK;
}

et_status et_op_split_with_sizes_copy_out(et_kernel_context *context,
                                          et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, "split_with_sizes_copy",
                                        self->rank, args[2]->u.as_int, &axis));
  ET_RETURN_IF_ERROR(
      check_split_sizes(context, args[1], self->sizes[axis], args[3]));
  const et_view view = et_view_of(self);
  int64_t start = 0;
  for (size_t i = 0; i < args[1]->u.as_list.size; i++) {
    const int64_t part = et_int_list_at(args[1], i);
    const et_view slice = et_view_slice(&view, axis, start, 1, (int32_t)part);
    ET_RETURN_IF_ERROR(et_copy_view_to(context, "split_with_sizes_copy", &slice,
                                       et_arg_list_tensor(args[3], i)));
    start += part;
  }
  return ET_STATUS_OK;
}
