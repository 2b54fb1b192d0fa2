#include "executorch/kernels/line.h"

/* Removes dimension `axis` from operand `k`. */
static void cut(et_lines *lines, size_t k, size_t axis, et_view *view) {
  const size_t size = et_scalar_type_size((int32_t)view->dtype);
  lines->dtypes[k] = view->dtype;
  lines->lengths[k] = 1;
  lines->strides[k] = (ptrdiff_t)size;
  if (view->rank > 0) {
    lines->lengths[k] = (size_t)view->sizes[axis];
    lines->strides[k] = (ptrdiff_t)view->strides[axis] * (ptrdiff_t)size;
    *view = et_view_select(view, axis, 0);
  }
}

void et_lines_run(const et_view *views, size_t operands, size_t axis,
                  et_line_fn fn, const void *state) {
  et_lines lines;
  et_view starts[ET_LOOP_OPERANDS];
  for (size_t k = 0; k < operands; k++) {
    starts[k] = views[k];
    cut(&lines, k, axis, &starts[k]);
  }
  for (et_loop loop = et_loop_over(starts, operands); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      uint8_t *at[ET_LOOP_OPERANDS];
      for (size_t k = 0; k < operands; k++) {
        at[k] = loop.at[k] + (ptrdiff_t)i * loop.strides[k];
      }
      fn(&lines, at, state);
    }
  }
}
