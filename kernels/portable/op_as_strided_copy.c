#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

static bool is_empty(const et_view *view) {
  bool empty = false;
  for (size_t d = 0; d < view->rank; d++) {
    empty = empty || view->sizes[d] == 0;
  }
  return empty;
}

/* Reads strides, and checks that the last element of the view is inside
 * `self`. */
static et_status read_strides(et_kernel_context *context, const et_value *list,
                              const et_tensor *self, int64_t offset,
                              et_view *view) {
  int64_t rest = (int64_t)self->numel - offset - 1;
  for (size_t d = 0; d < view->rank; d++) {
    const int64_t stride = et_int_list_at(list, d);
    ET_CHECK(context, view->sizes[d] >= 0 && stride >= 0,
             "as_strided_copy: dimension %zu has size %d, stride %lld", d,
             (int)view->sizes[d], (long long)stride);
    view->strides[d] = stride;
  }
  ET_CHECK(context, rest >= 0 || is_empty(view),
           "as_strided_copy: storage_offset %lld exceeds the %zu elements",
           (long long)offset, self->numel);
  for (size_t d = 0; d < view->rank && !is_empty(view); d++) {
    const int64_t last = view->sizes[d] - 1;
    ET_CHECK(context, last == 0 || view->strides[d] <= rest / last,
             "as_strided_copy: dimension %zu exceeds the %zu elements", d,
             self->numel);
    rest -= view->strides[d] * last;
  }
  return ET_STATUS_OK;
}

/* The storage is the elements of self in memory order. */
et_status et_op_as_strided_copy_out(et_kernel_context *context,
                                    et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t offset = et_arg_int_or(args[3], 0);
  et_view view = {self->data, self->dtype, 0, {0}, {0}};
  ET_RETURN_IF_ERROR(et_arg_sizes(context, "as_strided_copy: size", args[1],
                                  view.sizes, &view.rank));
  ET_CHECK(context, args[2]->u.as_list.size == view.rank,
           "as_strided_copy: %zu strides for %zu sizes",
           args[2]->u.as_list.size, view.rank);
  ET_CHECK(context, offset >= 0 && offset <= (int64_t)self->numel,
           "as_strided_copy: storage_offset %lld is not in [0, %zu]",
           (long long)offset, self->numel);
  ET_RETURN_IF_ERROR(read_strides(context, args[2], self, offset, &view));
  if (self->numel > 0) {
    view.data += offset * (int64_t)et_scalar_type_size((int32_t)self->dtype);
  }
  return et_copy_view_to(context, "as_strided_copy", &view,
                         args[4]->u.as_tensor);
}
