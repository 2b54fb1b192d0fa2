/* Groups of nodes that one op computes. The op takes the position of the last node. Values between
 * the nodes do not have other readers.
 *
 * A group is a layer (layer.h) or up to four inverted residuals. A convolution reads planar
 * input if it is the only reader of a transpose to NHWC. */
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

/* Selects the layers that are computed as inverted residuals by row tiling, and the chains of
 * inverted residuals that become one mbconv_f32 op. The CPU backend's compiler makes the same
 * choices: backends/cpu/compiler/choice.py. */

/* Returns true if node `index` is the project layer of the last block of a chain. Sets the parts
 * and the node of *out. */
bool et_xnn_chain_of(const et_xnn_nodes *n, uint32_t index, et_xnn_group *out);

/* Returns true if the layer that ends with node `index` belongs to a chain that ends at a later
 * node. */
bool et_xnn_is_in_chain(const et_xnn_nodes *n, uint32_t index);

/* Row tiling of inverted residuals: expand, depthwise convolution, project. */

/* Returns true if three float layers can become one mbconv_f32 op that is faster at the declared
 * sizes. */
bool et_xnn_prefers_row_tiling(const et_xnn_graph *graph,
                               const et_xnn_part *part);

/* Returns true if such a block can read the output of another block row by row, and the image
 * between them is large enough. */
bool et_xnn_expands_rows(const et_xnn_graph *graph, const et_xnn_part *part);

#endif /* BACKENDS_XNNPACK_RUNTIME_GROUP_H_ */
