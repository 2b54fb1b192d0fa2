/* Groups of nodes that one op computes. The op takes the position of the last node. Values between
 * the nodes do not have other readers.
 *
 * A group is a layer (layer.h) or up to four inverted residuals (strip.h, chain.h). A convolution
 * reads planar input if it is the only reader of a transpose to NHWC (planar.h). */
#ifndef BACKENDS_XNNPACK_RUNTIME_GROUP_H_
#define BACKENDS_XNNPACK_RUNTIME_GROUP_H_

#include "backends/cpu/schema/cost_model.h"
#include "backends/xnnpack/runtime/layer.h"

/* Layers of an inverted residual. */
typedef struct et_xnn_part {
  et_xnn_node expand;
  et_xnn_node filter;
  et_xnn_node project;
} et_xnn_part;

typedef struct et_xnn_group {
  et_xnn_node node;   /* chain: its last project layer, with its first input */
  uint8_t part_count; /* number of inverted residuals; 0: a single layer */
  et_xnn_part parts[ET_CPU_MBCONV_MAX_BLOCKS];
} et_xnn_group;

/* Sets *out to the group that ends with node `index`. Returns false if a later node's group
 * contains it. All nodes must have been checked (et_xnn_check_nodes). */
bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out);

#endif /* BACKENDS_XNNPACK_RUNTIME_GROUP_H_ */
