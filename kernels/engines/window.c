#include "kernels/engines/window.h"

#include "executorch/kernels/convert.h"
#include "runtime/core/arithmetic.h"

et_view et_window_view(const et_tensor *tensor, size_t dims) {
  const et_view view = et_view_of(tensor);
  const size_t leading = view.rank - dims;
  et_view out = {view.data, view.dtype, 5, {1, 1, 1, 1, 1}, {0}};
  for (size_t d = 0; d < view.rank; d++) {
    const size_t to = d < leading ? d + 2 - leading : d + 5 - view.rank;
    out.sizes[to] = view.sizes[d];
    out.strides[to] = view.strides[d];
  }
  return out;
}

uint8_t *et_window_at(const et_view *view, const et_position *position) {
  const int64_t *strides = view->strides;
  const int64_t element = position->n * strides[0] + position->c * strides[1] +
                          position->z * strides[2] + position->y * strides[3] +
                          position->x * strides[4];
  return view->data +
         element * (int64_t)et_scalar_type_size((int32_t)view->dtype);
}

bool et_window_next(const et_view *view, et_position *position) {
  int64_t *const index[5] = {&position->n, &position->c, &position->z,
                             &position->y, &position->x};
  for (size_t d = 5; d-- > 0;) {
    if (++*index[d] < view->sizes[d]) {
      return true;
    }
    *index[d] = 0;
  }
  return false;
}

/* Skips taps before the start of the input, in whole steps. */
static et_stretch span_of(const et_conv_axis *axis, int64_t o) {
  const int64_t start = o * axis->stride - axis->padding;
  const int64_t step = axis->dilation;
  const int64_t missed = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t end = start + (axis->kernel - 1) * step + 1;
  return (et_stretch){start + missed * step, et_min_i64(end, axis->in), step};
}

et_box et_window_box(const et_window *window, const et_position *position) {
  return (et_box){span_of(&window->z, position->z),
                  span_of(&window->y, position->y),
                  span_of(&window->x, position->x)};
}

/* Window o of `out` windows over `in` elements is
 *
 *   [floor(o * in / out), ceil((o + 1) * in / out)) */
static et_stretch adaptive_stretch(const et_conv_axis *axis, int64_t o) {
  const int64_t begin = o * axis->in / axis->out;
  const int64_t end = ((o + 1) * axis->in + axis->out - 1) / axis->out;
  return (et_stretch){begin, end, 1};
}

et_box et_window_adaptive_box(const et_window *window,
                              const et_position *position) {
  return (et_box){adaptive_stretch(&window->z, position->z),
                  adaptive_stretch(&window->y, position->y),
                  adaptive_stretch(&window->x, position->x)};
}

static int64_t count_of(const et_stretch *span) {
  return span->end <= span->begin
             ? 0
             : (span->end - span->begin + span->step - 1) / span->step;
}

int64_t et_box_count(const et_box *box) {
  return count_of(&box->z) * count_of(&box->y) * count_of(&box->x);
}

static double sum_row(const et_view *in, const uint8_t *row, int64_t step,
                      int64_t count) {
  const ptrdiff_t stride = (ptrdiff_t)(in->strides[4] * step) *
                           (ptrdiff_t)et_scalar_type_size((int32_t)in->dtype);
  double sum = 0.0;
  for (int64_t start = 0; start < count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t n = (size_t)et_min_i64(count - start, ET_CHUNK);
    et_load_run(ET_COMPUTE_FLOAT64, in->dtype, row + start * stride, stride, n,
                &chunk);
    for (size_t i = 0; i < n; i++) {
      sum += chunk.float64[i];
    }
  }
  return sum;
}

double et_window_sum(const et_view *in, const et_position *position,
                     const et_box *box) {
  const int64_t count = count_of(&box->x);
  et_position at = {position->n, position->c, 0, 0, box->x.begin};
  double sum = 0.0;
  if (count == 0) {
    return sum;
  }
  for (at.z = box->z.begin; at.z < box->z.end; at.z += box->z.step) {
    for (at.y = box->y.begin; at.y < box->y.end; at.y += box->y.step) {
      sum += sum_row(in, et_window_at(in, &at), box->x.step, count);
    }
  }
  return sum;
}

/* Returns how many elements of a window along one axis are in the input or its
 * padding. */
static int64_t padded(const et_conv_axis *axis, int64_t o) {
  const int64_t start = o * axis->stride - axis->padding;
  const int64_t limit = axis->in + axis->padding;
  const int64_t end = start + axis->kernel;
  return (end < limit ? end : limit) - start;
}

/* Computed in double, because padding may have any size. */
double et_window_divisor(const et_window *w, const et_position *o,
                         const et_box *box, bool include_pad, int64_t divisor) {
  if (divisor != 0) {
    return (double)divisor;
  }
  return include_pad
             ? (double)padded(&w->z, o->z) * (double)padded(&w->y, o->y) *
                   (double)padded(&w->x, o->x)
             : (double)et_box_count(box);
}
