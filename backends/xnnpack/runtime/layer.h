/* A node, and those behind it that are computed with it: what lies between them is
 * read by nobody else.
 *
 * Clamps are bounds of the layer before them: exporters write them apart where bytes
 * are computed, and the official runtime joins them, too, so that results are rounded
 * to bytes once. Layers of floats add what is added to their result, and apply a
 * hardswish. Convolutions have zeros around what they read in their windows, and
 * products make their rows bytes. */
#ifndef BACKENDS_XNNPACK_RUNTIME_LAYER_H_
#define BACKENDS_XNNPACK_RUNTIME_LAYER_H_

#include "backends/xnnpack/runtime/uses.h"

/* Input of a layer that is added to its result, if it has so many. */
#define ET_XNN_RESIDUAL 3

/* What is asked about. All nodes must have been checked. */
typedef struct et_xnn_nodes {
  et_xnn_uses *uses;
  const et_xnn_graph *graph;
} et_xnn_nodes;

/* The nodes that end with node `index`: the first of them, with output and bounds of
 * the last, and what that adds. */
et_xnn_node et_xnn_layer_of(const et_xnn_nodes *n, uint32_t index);

/* The last node of those that node `index` is computed with. */
uint32_t et_xnn_last_of(const et_xnn_nodes *n, uint32_t index);

/* Whether it is a layer from floats to floats whose op activates its results. */
bool et_xnn_is_float_layer(const et_xnn_nodes *n, const et_xnn_node *node);

#endif /* BACKENDS_XNNPACK_RUNTIME_LAYER_H_ */
