#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

static et_status check_sizes(et_kernel_context *context, const et_tensor *first,
                             const et_tensor *tensor) {
  ET_CHECK(context, tensor->rank == first->rank,
           "stack: tensors have %d and %d dimensions", (int)first->rank,
           (int)tensor->rank);
  for (size_t d = 0; d < first->rank; d++) {
    ET_CHECK(context, tensor->sizes[d] == first->sizes[d],
             "stack: dimension %zu: sizes %d and %d differ", d,
             (int)first->sizes[d], (int)tensor->sizes[d]);
  }
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_tensor *first,
                            size_t count, size_t axis, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  const size_t rank = (size_t)first->rank + 1;
  for (size_t d = 0; d < rank; d++) {
    sizes[d] = d == axis  ? (int32_t)count
               : d < axis ? first->sizes[d]
                          : first->sizes[d - 1];
  }
  return et_tensor_resize(out, sizes, rank, context->error);
}

et_status et_op_stack_out(et_kernel_context *context, et_value **args) {
  const size_t count = args[0]->u.as_list.size;
  et_tensor *out = args[2]->u.as_tensor;
  size_t axis = 0;
  ET_CHECK(context, count > 0 && count <= INT32_MAX,
           "stack: %zu tensors are not supported", count);
  const et_tensor *first = et_arg_list_tensor(args[0], 0);
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "stack: tensor", first, 0, ET_MAX_RANK - 1));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "stack", args[1]->u.as_int,
                                   (size_t)first->rank + 1, &axis));
  for (size_t i = 1; i < count; i++) {
    ET_RETURN_IF_ERROR(
        check_sizes(context, first, et_arg_list_tensor(args[0], i)));
  }
  ET_RETURN_IF_ERROR(resize_out(context, first, count, axis, out));
  const et_view whole = et_view_of(out);
  for (size_t i = 0; i < count; i++) {
    const et_view from = et_view_of(et_arg_list_tensor(args[0], i));
    const et_view to = et_view_select(&whole, axis, (int64_t)i);
    ET_RETURN_IF_ERROR(et_copy_view(context, "stack", &from, &to));
  }
  return ET_STATUS_OK;
}
