#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/window.h"
#include "kernels/portable/extremum.h"

/* The taps [*first, *last) of window `o` that read inside the input. */
static void inside_taps(const et_conv_axis *axis, int64_t o, int64_t *first,
                        int64_t *last) {
  const int64_t start = o * axis->stride - axis->padding;
  const int64_t step = axis->dilation;
  *first = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t fit = (axis->in - start + step - 1) / step;
  *last = fit < axis->kernel ? fit : axis->kernel;
}

static void take_row(const et_window *w, int64_t n, int64_t c, int64_t iy,
                     int64_t ox, et_extremum *found) {
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)w->in.dtype);
  int64_t first = 0;
  int64_t last = 0;
  inside_taps(&w->x, ox, &first, &last);
  if (first < last) {
    const int64_t ix = ox * w->x.stride - w->x.padding + first * w->x.dilation;
    et_extremum_take(found, w->in.dtype, et_window_at(&w->in, n, c, iy, ix),
                     w->in.strides[3] * w->x.dilation * size,
                     (size_t)(last - first), iy * w->x.in + ix, w->x.dilation);
  }
}

static et_extremum find_largest(const et_window *w, int64_t n, int64_t c,
                                int64_t oy, int64_t ox) {
  et_extremum found = et_extremum_none(false);
  int64_t first = 0;
  int64_t last = 0;
  inside_taps(&w->y, oy, &first, &last);
  for (int64_t k = first; k < last; k++) {
    take_row(w, n, c, oy * w->y.stride - w->y.padding + k * w->y.dilation, ox,
             &found);
  }
  return found;
}

static void pool_plane(const et_window *w, const et_view *indices, int64_t n,
                       int64_t c) {
  for (int64_t oy = 0; oy < w->y.out; oy++) {
    for (int64_t ox = 0; ox < w->x.out; ox++) {
      const et_extremum found = find_largest(w, n, c, oy, ox);
      et_extremum_store(&found, w->out.dtype,
                        et_window_at(&w->out, n, c, oy, ox));
      *(int64_t *)(void *)et_window_at(indices, n, c, oy, ox) = found.index;
    }
  }
}

et_status et_op_max_pool2d_with_indices_out(et_kernel_context *context,
                                            et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[6]->u.as_tensor;
  et_tensor *indices = args[7]->u.as_tensor;
  const et_window_arguments arguments = {
      "max_pool2d", args[1], args[2], args[3], args[4], args[5]->u.as_bool};
  et_window window;
  ET_CHECK(context,
           indices->dtype == ET_SCALAR_TYPE_INT64 &&
               et_dtype_is_computable(self->dtype),
           "max_pool2d: dtype %s with indices of %s is not supported",
           et_scalar_type_name((int32_t)self->dtype),
           et_scalar_type_name((int32_t)indices->dtype));
  ET_RETURN_IF_ERROR(et_window_plan(context, &arguments, self, out, &window));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, indices, out));
  const et_view index_view = et_window_view(indices);
  for (int64_t n = 0; n < window.in.sizes[0]; n++) {
    for (int64_t c = 0; c < window.in.sizes[1]; c++) {
      pool_plane(&window, &index_view, n, c);
    }
  }
  return ET_STATUS_OK;
}
