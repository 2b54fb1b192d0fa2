#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Each part has `split_size` elements; the last may have fewer. */
static et_status check_split(et_kernel_context *context, int64_t split_size,
                             int64_t size, size_t outs) {
  ET_CHECK(context, split_size > 0 || (split_size == 0 && size == 0),
           "split_copy: split_size %lld is not valid for size %lld",
           (long long)split_size, (long long)size);
  const int64_t count = size == 0 ? 1 : (size - 1) / split_size + 1;
  ET_CHECK(context, (size_t)count == outs,
           "split_copy: %lld parts, but %zu outs", (long long)count, outs);
  return ET_STATUS_OK;
}

et_status et_op_split_copy_tensor_out(et_kernel_context *context,
                                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t split_size = args[1]->u.as_int;
  const size_t count = args[3]->u.as_list.size;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, "split_copy", self->rank,
                                        args[2]->u.as_int, &axis));
  const int64_t size = self->sizes[axis];
  ET_RETURN_IF_ERROR(check_split(context, split_size, size, count));
  const et_view view = et_view_of(self);
  for (size_t i = 0; i < count; i++) {
    const int64_t start = (int64_t)i * split_size;
    const int64_t rest = size - start;
    const et_view part =
        et_view_slice(&view, axis, start, 1,
                      (int32_t)(rest < split_size ? rest : split_size));
    ET_RETURN_IF_ERROR(et_copy_view_to(context, "split_copy", &part,
                                       et_arg_list_tensor(args[3], i)));
  }
  return ET_STATUS_OK;
}
