/* Weights in panels of columns, one by one. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PANELS_H_
#define BACKENDS_XNNPACK_RUNTIME_PANELS_H_

#include "backends/xnnpack/runtime/weights.h"

/* Panels that so many columns take. */
static inline int32_t et_xnn_panels_of(int32_t columns) {
  return (columns + ET_XNN_PANEL - 1) / ET_XNN_PANEL;
}

/* Sizes that have been multiplied; -1, which no tensor has, where they wrap. */
static inline int32_t et_xnn_times(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  return product <= INT32_MAX ? (int32_t)product : -1;
}

/* A panel of a group: its first output over all groups, and how many there are. */
typedef struct et_xnn_panel {
  size_t first;
  size_t columns;
} et_xnn_panel;

/* Writes a panel's bytes, which are 0 before. */
typedef void et_xnn_put_panel(const et_xnn_weights *w, et_xnn_panel p,
                              const void *request, void *to);

/* Calls `put` for each panel, with where its `size` bytes begin. */
et_status et_xnn_put_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                            et_xnn_put_panel *put, const void *request,
                            size_t size, void *bytes);

/* Reads a code: a constant of each call of what is given one. */
typedef int32_t et_xnn_read_code(const et_xnn_weights *w, size_t row, size_t k);

/* Whether each column's codes are bytes one behind the other. */
bool et_xnn_lies_as_bytes(const et_xnn_weights *w);

#endif /* BACKENDS_XNNPACK_RUNTIME_PANELS_H_ */
