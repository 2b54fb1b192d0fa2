#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Shift of each dimension, in [0, size). */
typedef struct shifts {
  int32_t by[ET_MAX_RANK];
} shifts;

static void add_shift(shifts *s, size_t dim, int64_t shift, int32_t size) {
  if (size > 0) {
    const int64_t by = (s->by[dim] + shift % size) % size;
    s->by[dim] = (int32_t)(by < 0 ? by + size : by);
  }
}

/* Swaps the two parts of a shifted dimension. */
static et_status roll(et_kernel_context *context, const shifts *s, size_t dim,
                      const et_view *in, const et_view *out) {
  if (dim == in->rank) {
    return et_copy_view(context, "roll", in, out);
  }
  const int32_t by = s->by[dim];
  const int32_t rest = in->sizes[dim] - by;
  const et_view first = et_view_slice(in, dim, 0, 1, rest);
  const et_view to_end = et_view_slice(out, dim, by, 1, rest);
  ET_RETURN_IF_ERROR(roll(context, s, dim + 1, &first, &to_end));
  if (by == 0) {
    return ET_STATUS_OK;
  }
  const et_view last = et_view_slice(in, dim, rest, 1, by);
  const et_view to_start = et_view_slice(out, dim, 0, 1, by);
  return roll(context, s, dim + 1, &last, &to_start);
}

/* Without dims, rolls all elements in row-major order. */
static void roll_elements(const et_tensor *self, size_t by,
                          const et_tensor *out) {
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  const size_t size = et_scalar_type_size((int32_t)self->dtype);
  for (size_t i = 0; i < self->numel; i++) {
    const size_t position = (i + by) % self->numel;
    memcpy(to.data + et_view_offset(&to, position) * (int64_t)size,
           from.data + et_view_offset(&from, i) * (int64_t)size, size);
  }
}

static et_status roll_flat(et_kernel_context *context, const et_value *list,
                           const et_tensor *self, const et_tensor *out) {
  ET_CHECK(context, list->u.as_list.size == 1,
           "roll: %zu shifts without dims; pass one shift",
           list->u.as_list.size);
  if (self->numel > 0) {
    const int64_t size = (int64_t)self->numel;
    const int64_t shift = et_int_list_at(list, 0) % size;
    roll_elements(self, (size_t)(shift < 0 ? shift + size : shift), out);
  }
  return ET_STATUS_OK;
}

static et_status read_shifts(et_kernel_context *context, const et_value *list,
                             const et_value *dims, const et_view *self,
                             shifts *s) {
  const size_t count = dims->u.as_list.size;
  ET_CHECK(context, list->u.as_list.size == count,
           "roll: %zu shifts for %zu dims", list->u.as_list.size, count);
  *s = (shifts){{0}};
  for (size_t i = 0; i < count; i++) {
    size_t axis = 0;
    ET_RETURN_IF_ERROR(et_shape_axis(context, "roll", et_int_list_at(dims, i),
                                     self->rank, &axis));
    add_shift(s, axis, et_int_list_at(list, i), self->sizes[axis]);
  }
  return ET_STATUS_OK;
}

et_status et_op_roll_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  shifts s;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "roll", self, out));
  if (args[2]->u.as_list.size == 0) {
    ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
    return roll_flat(context, args[1], self, out);
  }
  const et_view in = et_view_of(self);
  ET_RETURN_IF_ERROR(read_shifts(context, args[1], args[2], &in, &s));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view to = et_view_of(out);
  return roll(context, &s, 0, &in, &to);
}
