/* Expand, filter each channel, project: a strip of rows at a time. */
#ifndef BACKENDS_XNNPACK_RUNTIME_STRIP_H_
#define BACKENDS_XNNPACK_RUNTIME_STRIP_H_

#include "backends/xnnpack/runtime/group.h"

/* Whether three layers of floats can be computed so, and are faster for it, by the
 * sizes that the payload declares. */
bool et_xnn_prefers_strip(const et_xnn_graph *graph, const et_xnn_group *group);

#endif /* BACKENDS_XNNPACK_RUNTIME_STRIP_H_ */
