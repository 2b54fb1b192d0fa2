#include "kernels/portable/indexing.h"

#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"

et_status et_along_check(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *dim,
                         const et_tensor *index, size_t *axis) {
  ET_RETURN_IF_ERROR(
      et_shape_axis(context, what, dim->u.as_int, self->rank, axis));
  ET_CHECK(context, index->rank == self->rank || index->numel == 0,
           "%s: index has %d dimensions, self %d", what, (int)index->rank,
           (int)self->rank);
  for (size_t d = 0; d < self->rank && index->numel > 0; d++) {
    ET_CHECK(context, d == *axis || index->sizes[d] <= self->sizes[d],
             "%s: dimension %zu: index has size %d, self %d", what, d,
             (int)index->sizes[d], (int)self->sizes[d]);
  }
  return et_index_check(context, what, index,
                        self->rank == 0 ? 1 : self->sizes[*axis], false);
}

/* Returns the start of a view, with the sizes of `like`. */
static et_view cut_to(const et_view *view, const et_tensor *like) {
  et_view cut = *view;
  for (size_t d = 0; d < like->rank; d++) {
    cut.sizes[d] = like->sizes[d];
  }
  return cut;
}

void et_along_run(const et_tensor *index, const et_view *other,
                  const et_view *self, size_t axis, et_along_fn fn) {
  if (index->numel == 0) {
    return;
  }
  const size_t size = et_scalar_type_size((int32_t)self->dtype);
  const ptrdiff_t step =
      self->rank == 0 ? 0 : (ptrdiff_t)self->strides[axis] * (ptrdiff_t)size;
  et_view views[3] = {et_view_of(index), cut_to(other, index),
                      cut_to(self, index)};
  views[2].strides[axis] = 0; /* the index determines the position along this
                               * axis */
  for (et_loop loop = et_loop_over(views, 3); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      const ptrdiff_t n = (ptrdiff_t)i;
      int64_t position = 0;
      et_load_run(ET_COMPUTE_INT64, index->dtype,
                  loop.at[0] + n * loop.strides[0], 0, 1, &position);
      fn(self->dtype, loop.at[1] + n * loop.strides[1],
         loop.at[2] + n * loop.strides[2] + position * step);
    }
  }
}

et_status et_along_check_source(et_kernel_context *context, const char *what,
                                const et_tensor *self, const et_tensor *index,
                                const et_view *src) {
  ET_CHECK(context, src->dtype == self->dtype,
           "%s: dtypes %s and %s differ; cast one of them", what,
           et_scalar_type_name((int32_t)src->dtype),
           et_scalar_type_name((int32_t)self->dtype));
  ET_CHECK(context, src->rank == index->rank || index->numel == 0,
           "%s: src has %zu dimensions, index %d", what, src->rank,
           (int)index->rank);
  for (size_t d = 0; d < index->rank && index->numel > 0; d++) {
    ET_CHECK(context, src->sizes[d] >= index->sizes[d],
             "%s: dimension %zu: src has size %d, index %d", what, d,
             (int)src->sizes[d], (int)index->sizes[d]);
  }
  return ET_STATUS_OK;
}

et_status et_along_scatter(et_kernel_context *context, const char *what,
                           et_value *const *arguments, const et_view *src,
                           et_along_fn fn, et_tensor *out) {
  const et_tensor *self = arguments[0]->u.as_tensor;
  const et_tensor *index = arguments[2]->u.as_tensor;
  const et_view whole = et_view_of(self);
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, out));
  ET_RETURN_IF_ERROR(
      et_along_check(context, what, self, arguments[1], index, &axis));
  ET_RETURN_IF_ERROR(et_along_check_source(context, what, self, index, src));
  ET_RETURN_IF_ERROR(et_copy_view_to(context, what, &whole, out));
  const et_view target = et_view_of(out);
  et_along_run(index, src, &target, axis, fn);
  return ET_STATUS_OK;
}

void et_along_set(et_scalar_type dtype, uint8_t *other, uint8_t *element) {
  memcpy(element, other, et_scalar_type_size((int32_t)dtype));
}
