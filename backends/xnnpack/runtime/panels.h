/* Iteration over weights in panels of ET_CPU_PANEL columns. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PANELS_H_
#define BACKENDS_XNNPACK_RUNTIME_PANELS_H_

#include "backends/xnnpack/runtime/weights.h"

/* Returns the number of panels for `columns` columns. */
static inline int32_t et_xnn_panels_of(int32_t columns) {
  return columns / ET_CPU_PANEL + (columns % ET_CPU_PANEL != 0 ? 1 : 0);
}

/* Returns the product of two sizes, or -1 if it overflows. Later checks reject -1, which is not a
 * valid size. */
static inline int32_t et_xnn_times(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  return product <= INT32_MAX ? (int32_t)product : -1;
}

/* Columns of a panel: the index of the first one, counted over all groups, and their number. */
typedef struct et_xnn_panel {
  size_t first;
  size_t columns;
} et_xnn_panel;

/* Writes the columns of a panel. The destination is filled with zeros beforehand. */
typedef void et_xnn_put_panel(const et_xnn_weights *w, et_xnn_panel p,
                              const void *request, void *to);

/* Calls `put` for each panel with the panel's destination of `size` bytes. */
et_status et_xnn_put_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                            et_xnn_put_panel *put, const void *request,
                            size_t size, void *bytes);

/* Reads a quantized value. Callers pass functions known at compile time, so that calls are
 * inlined. */
typedef int32_t et_xnn_read_weight(const et_xnn_weights *w, size_t row,
                                   size_t k);

/* Returns true if the values of a column are consecutive int8 values without a zero point. */
bool et_xnn_is_dense_int8(const et_xnn_weights *w);

#endif /* BACKENDS_XNNPACK_RUNTIME_PANELS_H_ */
