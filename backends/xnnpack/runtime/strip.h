/* Expand, filter each channel, project: a strip of rows at a time. */
#ifndef BACKENDS_XNNPACK_RUNTIME_STRIP_H_
#define BACKENDS_XNNPACK_RUNTIME_STRIP_H_

#include "backends/xnnpack/runtime/group.h"

/* Whether three layers of floats can be computed so, and are faster for it, by the
 * sizes that the payload declares. */
bool et_xnn_prefers_strip(const et_xnn_graph *graph, const et_xnn_part *part);

/* Whether such a strip can read what another one makes row by row, and it is worth
 * it: the picture between them is large. */
bool et_xnn_expands_rows(const et_xnn_graph *graph, const et_xnn_part *part);

#endif /* BACKENDS_XNNPACK_RUNTIME_STRIP_H_ */
