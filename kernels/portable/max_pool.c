#include "kernels/portable/max_pool.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/extremum.h"

et_status et_max_pool_check(et_kernel_context *context, const char *name,
                            const et_tensor *self, const et_tensor *indices) {
  ET_CHECK(context,
           indices->dtype == ET_SCALAR_TYPE_INT64 &&
               et_dtype_is_computable(self->dtype),
           "%s: dtype %s with indices of %s is not supported; cast self to "
           "float32, indices to int64",
           name, et_scalar_type_name((int32_t)self->dtype),
           et_scalar_type_name((int32_t)indices->dtype));
  return ET_STATUS_OK;
}

static void take_row(const et_window *w, const et_position *at,
                     const et_stretch *span, et_extremum *found) {
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)w->in.dtype);
  const int64_t row = (at->z * w->y.in + at->y) * w->x.in;
  const int64_t count = (span->end - span->begin + span->step - 1) / span->step;
  et_extremum_take(found, w->in.dtype, et_window_at(&w->in, at),
                   (ptrdiff_t)(w->in.strides[4] * span->step) * size,
                   (size_t)count, row + at->x, span->step);
}

static et_extremum find_largest(const et_window *w, const et_position *o,
                                const et_box *box) {
  et_extremum found = et_extremum_none(false);
  et_position at = {o->n, o->c, 0, 0, box->x.begin};
  if (box->x.begin >= box->x.end) {
    return found;
  }
  for (at.z = box->z.begin; at.z < box->z.end; at.z += box->z.step) {
    for (at.y = box->y.begin; at.y < box->y.end; at.y += box->y.step) {
      take_row(w, &at, &box->x, &found);
    }
  }
  return found;
}

et_status et_max_pool_run(et_kernel_context *context, const et_window *window,
                          size_t dims, et_box_fn box, const et_tensor *out,
                          et_tensor *indices) {
  et_position o = {0};
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, indices, out));
  const et_view index_view = et_window_view(indices, dims);
  for (bool more = out->numel > 0; more;
       more = et_window_next(&window->out, &o)) {
    const et_box read = box(window, &o);
    const et_extremum found = find_largest(window, &o, &read);
    et_extremum_store(&found, out->dtype, et_window_at(&window->out, &o));
    *(int64_t *)(void *)et_window_at(&index_view, &o) = found.index;
  }
  return ET_STATUS_OK;
}
