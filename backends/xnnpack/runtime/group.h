/* Groups of nodes. One op computes a group, at the position of the group's last node. Values
 * between the nodes of a group do not have other readers.
 *
 * A group is a single layer (layer.h) or a chain of up to four inverted residuals. */
#ifndef BACKENDS_XNNPACK_RUNTIME_GROUP_H_
#define BACKENDS_XNNPACK_RUNTIME_GROUP_H_

#include "backends/cpu/schema/cost_model.h"
#include "backends/xnnpack/runtime/layer.h"

/* The three layers of an inverted residual. */
typedef struct et_xnn_part {
  et_xnn_node expand;
  et_xnn_node filter;
  et_xnn_node project;
} et_xnn_part;

typedef struct et_xnn_group {
  /* The layer. For a chain: the last project layer, with the input of the chain. */
  et_xnn_node node;
  uint8_t part_count; /* number of inverted residuals; 0 for a single layer */
  et_xnn_part parts[ET_CPU_MBCONV_MAX_BLOCKS];
} et_xnn_group;

/* Sets *out to the group that ends with node `index`. Returns false if the node belongs to a group
 * that ends at a later node. et_xnn_check_nodes() must have succeeded. */
bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out);

/* Chains of inverted residuals. The layers of a chain become one mbconv_f32 op. The compiler of the
 * CPU backend makes the same choices (backends/cpu/compiler/choice.py). */

/* Returns true if node `index` ends a chain, that is, if it is the project layer of the last
 * inverted residual. Sets *out to the chain. */
bool et_xnn_chain_of(const et_xnn_nodes *n, uint32_t index, et_xnn_group *out);

/* Returns true if the layer that ends with node `index` belongs to a chain that ends at a later
 * node. */
bool et_xnn_is_in_chain(const et_xnn_nodes *n, uint32_t index);

/* Row tiling of inverted residuals: expand, depthwise convolution, project. */

/* Returns true if the three layers can become one mbconv_f32 op, and the op is faster than the
 * layers at the declared sizes. */
bool et_xnn_prefers_row_tiling(const et_xnn_graph *graph,
                               const et_xnn_part *part);

/* Returns true if an inverted residual can read the output of the previous one row by row, and the
 * image between them is large enough to benefit. */
bool et_xnn_expands_rows(const et_xnn_graph *graph, const et_xnn_part *part);

#endif /* BACKENDS_XNNPACK_RUNTIME_GROUP_H_ */
