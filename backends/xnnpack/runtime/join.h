/* Clamps that are bounds of the node before them: exporters write them apart where
 * bytes are computed, and the official runtime joins them, too, so that results are
 * rounded to bytes once. */
#ifndef BACKENDS_XNNPACK_RUNTIME_JOIN_H_
#define BACKENDS_XNNPACK_RUNTIME_JOIN_H_

#include "backends/xnnpack/runtime/node.h"

/* Sets *out to node `index`, with the bounds and the output of the clamp behind it
 * where nothing else reads what it bounds. False: it is such a clamp itself, and
 * nothing is left to do. All nodes must have been checked. */
bool et_xnn_joined_node(const et_xnn_graph *graph, uint32_t index,
                        et_xnn_node *out);

#endif /* BACKENDS_XNNPACK_RUNTIME_JOIN_H_ */
