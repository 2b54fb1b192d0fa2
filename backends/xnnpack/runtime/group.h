/* Nodes that are computed as one, at the place of the last of them: what lies
 * between them is read by nobody else.
 *
 * Clamps are bounds of the layer before them: exporters write them apart where bytes
 * are computed, and the official runtime joins them, too, so that results are rounded
 * to bytes once. Layers of floats add what is added to their result, and apply a
 * hardswish; one that expands, one that filters each channel and one that projects
 * are a strip of rows at a time. */
#ifndef BACKENDS_XNNPACK_RUNTIME_GROUP_H_
#define BACKENDS_XNNPACK_RUNTIME_GROUP_H_

#include "backends/xnnpack/runtime/uses.h"

/* Input of a layer that is added to its result, if it has so many. */
#define ET_XNN_RESIDUAL 3

typedef struct et_xnn_group {
  et_xnn_node
      node; /* with output and bounds of the last, and what that adds; of
                     * strips what projects, with the input of what expands */
  bool is_strip;
  et_xnn_node expand;
  et_xnn_node filter;
} et_xnn_group;

/* Sets *out to the nodes that end with node `index`. False: a later one computes it,
 * and nothing is left to do. All nodes must have been checked. */
bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out);

#endif /* BACKENDS_XNNPACK_RUNTIME_GROUP_H_ */
