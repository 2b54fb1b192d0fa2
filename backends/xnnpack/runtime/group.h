/* Nodes that one op computes, at the position of the last of them. The values between them
 * have no other reader.
 *
 * A group is a layer (layer.h) or up to four inverted residuals (strip.h, chain.h). A
 * convolution reads planar input if a transpose to NHWC has no other reader (planar.h). */
#ifndef BACKENDS_XNNPACK_RUNTIME_GROUP_H_
#define BACKENDS_XNNPACK_RUNTIME_GROUP_H_

#include "backends/xnnpack/runtime/layer.h"

/* The maximum of inverted residuals of an op. */
#define ET_XNN_MOST_PARTS 4

/* The layers of an inverted residual. */
typedef struct et_xnn_part {
  et_xnn_node expand;
  et_xnn_node filter;
  et_xnn_node project;
} et_xnn_part;

typedef struct et_xnn_group {
  et_xnn_node
      node; /* the layer; for inverted residuals, the last projection with the input
                     * of the first expansion, which may be planar */
  uint8_t part_count; /* inverted residuals; 0: one layer */
  et_xnn_part parts[ET_XNN_MOST_PARTS];
} et_xnn_group;

/* Sets *out to the nodes that end with node `index`. False: a later one computes it,
 * and nothing is left to do. All nodes must have been checked. */
bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out);

#endif /* BACKENDS_XNNPACK_RUNTIME_GROUP_H_ */
