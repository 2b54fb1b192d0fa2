#include "backends/xnnpack/runtime/join.h"

#include <string.h>

#include "backends/xnnpack/runtime/schema.h"

/* Nodes whose rules bound what they write. */
static bool takes_bounds(const et_xnn_node *node) {
  switch ((et_xnn_node_tag)node->tag) {
    case ET_XNN_NODE_CONVOLUTION:
    case ET_XNN_NODE_DEPTHWISE:
    case ET_XNN_NODE_FULLY_CONNECTED:
    case ET_XNN_NODE_ADD:
    case ET_XNN_NODE_SUBTRACT:
    case ET_XNN_NODE_MULTIPLY:
    case ET_XNN_NODE_DIVIDE:
    case ET_XNN_NODE_TRANSPOSED_CONVOLUTION:
      return !et_xnn_is_bounded(node);
    default:
      return false;
  }
}

/* Whether a node from `first` on reads value `id`. */
static bool is_read_behind(const et_xnn_graph *graph, uint32_t first,
                           uint32_t id) {
  for (uint32_t i = first; i < graph->nodes.count; i++) {
    if (et_xnn_reads(graph, i, id)) {
      return true;
    }
  }
  return false;
}

/* Whether one value of the graph itself may be written in place of the other: their
 * quantizations may differ, as they may for the official runtime. */
static bool are_alike(const et_xnn_graph *graph, uint32_t from, uint32_t to) {
  const et_xnn_value a = et_xnn_value_at(graph, from);
  const et_xnn_value b = et_xnn_value_at(graph, to);
  const bool same_sizes = a.dims.rank == b.dims.rank &&
                          memcmp(a.dims.sizes, b.dims.sizes,
                                 a.dims.rank * sizeof a.dims.sizes[0]) == 0;
  return from != to && a.external == ET_XNN_NO_VALUE && a.constant == 0 &&
         b.constant == 0 && same_sizes && a.datatype == b.datatype &&
         (et_xnn_is_bytes(&a) || et_xnn_is_floating(&a));
}

/* Whether node `index` is a clamp that the one before it can do. */
static bool is_joined(const et_xnn_graph *graph, uint32_t index) {
  if (index == 0 || index >= graph->nodes.count) {
    return false;
  }
  const et_xnn_node clamp = et_xnn_node_at(graph, index);
  if (clamp.tag != ET_XNN_NODE_CLAMP) {
    return false;
  }
  const et_xnn_node before = et_xnn_node_at(graph, index - 1);
  return takes_bounds(&before) && clamp.inputs[0] == before.outputs[0] &&
         !et_xnn_reads(graph, index - 1, clamp.outputs[0]) &&
         are_alike(graph, clamp.inputs[0], clamp.outputs[0]) &&
         !is_read_behind(graph, index + 1, clamp.inputs[0]);
}

bool et_xnn_joined_node(const et_xnn_graph *graph, uint32_t index,
                        et_xnn_node *out) {
  *out = et_xnn_node_at(graph, index);
  if (out->tag == ET_XNN_NODE_CLAMP) {
    return !is_joined(graph, index);
  }
  if (is_joined(graph, index + 1)) {
    const et_xnn_node clamp = et_xnn_node_at(graph, index + 1);
    out->low = clamp.low;
    out->high = clamp.high;
    out->outputs[0] = clamp.outputs[0];
  }
  return true;
}
