#include "kernels/portable/part.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Counts a negative bound from the end, then clamps it. */
static int64_t clip(int64_t bound, int64_t size) {
  const int64_t at = bound < 0 ? bound + size : bound;
  return at < 0 ? 0 : at > size ? size : at;
}

et_status et_part_slice(et_kernel_context *context, const char *what,
                        const et_view *whole, et_value *const *arguments,
                        et_view *part) {
  size_t axis = 0;
  const int64_t step = arguments[3]->u.as_int;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, what, whole->rank,
                                        arguments[0]->u.as_int, &axis));
  ET_CHECK(context, step >= 1, "%s: step %lld is not positive", what,
           (long long)step);
  const int64_t size = whole->sizes[axis];
  const int64_t start = clip(et_arg_int_or(arguments[1], 0), size);
  const int64_t end = clip(et_arg_int_or(arguments[2], INT64_MAX), size);
  const int64_t count = end > start ? (end - start - 1) / step + 1 : 0;
  *part = et_view_slice(whole, axis, start, step, (int32_t)count);
  return ET_STATUS_OK;
}

et_status et_part_select(et_kernel_context *context, const char *what,
                         const et_view *whole, et_value *const *arguments,
                         et_view *part) {
  size_t axis = 0;
  const int64_t index = arguments[1]->u.as_int;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, what, whole->rank,
                                        arguments[0]->u.as_int, &axis));
  const int64_t size = whole->sizes[axis];
  ET_CHECK(context, index >= -size && index < size,
           "%s: index %lld is out of range for size %lld", what,
           (long long)index, (long long)size);
  *part = et_view_select(whole, axis, index < 0 ? index + size : index);
  return ET_STATUS_OK;
}

et_status et_part_copy(et_kernel_context *context, const char *what,
                       et_part_fn part_of, const et_tensor *self,
                       et_value *const *arguments, et_tensor *out) {
  const et_view whole = et_view_of(self);
  et_view part;
  ET_RETURN_IF_ERROR(part_of(context, what, &whole, arguments, &part));
  return et_copy_view_to(context, what, &part, out);
}

static bool same_sizes(const et_view *a, const et_tensor *b) {
  bool same = a->rank == b->rank;
  for (size_t d = 0; same && d < a->rank; d++) {
    same = a->sizes[d] == b->sizes[d];
  }
  return same;
}

et_status et_part_scatter(et_kernel_context *context, const char *what,
                          et_part_fn part_of, const et_tensor *self,
                          const et_tensor *src, et_value *const *arguments,
                          et_tensor *out) {
  const et_view whole = et_view_of(self);
  const et_view from = et_view_of(src);
  et_view part;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, out));
  ET_RETURN_IF_ERROR(part_of(context, what, &whole, arguments, &part));
  ET_CHECK(context, same_sizes(&part, src),
           "%s: src does not have the shape of the part it replaces", what);
  ET_RETURN_IF_ERROR(et_copy_view_to(context, what, &whole, out));
  const et_view target = et_view_of(out);
  ET_RETURN_IF_ERROR(part_of(context, what, &target, arguments, &part));
  return et_copy_view(context, what, &from, &part);
}
