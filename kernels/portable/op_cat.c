#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* As in PyTorch, empty one-dimensional tensors are skipped. */
static bool is_skipped(const et_tensor *tensor) {
  return tensor->rank == 1 && tensor->sizes[0] == 0;
}

/* Checks that `tensor` matches `first`, and adds its size to `total`. */
static et_status add_sizes(et_kernel_context *context, const et_tensor *tensor,
                           size_t axis, const et_tensor *first,
                           int64_t *total) {
  ET_CHECK(context, tensor->rank == first->rank,
           "cat: tensors have %d and %d dimensions", (int)first->rank,
           (int)tensor->rank);
  for (size_t d = 0; d < first->rank; d++) {
    ET_CHECK(context, d == axis || tensor->sizes[d] == first->sizes[d],
             "cat: dimension %zu: sizes %d and %d differ", d,
             (int)first->sizes[d], (int)tensor->sizes[d]);
  }
  *total += tensor->sizes[axis];
  ET_CHECK(context, *total <= INT32_MAX, "cat: the result is too large");
  return ET_STATUS_OK;
}

static const et_tensor *first_of(const et_value *list) {
  for (size_t i = 0; i < list->u.as_list.size; i++) {
    if (!is_skipped(et_arg_list_tensor(list, i))) {
      return et_arg_list_tensor(list, i);
    }
  }
  return et_arg_list_tensor(list, 0);
}

static et_status resize_out(et_kernel_context *context, const et_value *list,
                            const et_tensor *first, size_t axis,
                            et_tensor *out) {
  int64_t total = 0;
  int32_t sizes[ET_MAX_RANK] = {0};
  for (size_t i = 0; i < list->u.as_list.size; i++) {
    const et_tensor *tensor = et_arg_list_tensor(list, i);
    if (!is_skipped(tensor)) {
      ET_RETURN_IF_ERROR(add_sizes(context, tensor, axis, first, &total));
    }
  }
  for (size_t d = 0; d < first->rank; d++) {
    sizes[d] = d == axis ? (int32_t)total : first->sizes[d];
  }
  return et_tensor_resize(out, sizes, first->rank, context->error);
}

et_status et_op_cat_out(et_kernel_context *context, et_value **args) {
  const et_value *list = args[0];
  et_tensor *out = args[2]->u.as_tensor;
  size_t axis = 0;
  ET_CHECK(context, list->u.as_list.size > 0, "cat: no tensors");
  const et_tensor *first = first_of(list);
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "cat: tensor", first, 1, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(
      et_shape_axis(context, "cat", args[1]->u.as_int, first->rank, &axis));
  ET_RETURN_IF_ERROR(resize_out(context, list, first, axis, out));
  const et_view whole = et_view_of(out);
  int64_t start = 0;
  for (size_t i = 0; i < list->u.as_list.size; i++) {
    const et_tensor *tensor = et_arg_list_tensor(list, i);
    if (is_skipped(tensor)) {
      continue;
    }
    const et_view from = et_view_of(tensor);
    const et_view to =
        et_view_slice(&whole, axis, start, 1, tensor->sizes[axis]);
    ET_RETURN_IF_ERROR(et_copy_view(context, "cat", &from, &to));
    start += tensor->sizes[axis];
  }
  return ET_STATUS_OK;
}
