#include "backends/xnnpack/runtime/layer.h"

#include <string.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/xnnpack/runtime/schema.h"

#define NONE ET_XNN_NO_NODE

typedef et_xnn_nodes nodes;

static et_xnn_value value_at(const nodes *n, uint32_t id) {
  return et_xnn_value_at(n->graph, id);
}

static bool is_float(const nodes *n, uint32_t id) {
  return value_at(n, id).datatype == ET_XNN_FP32;
}

static bool same_sizes(const et_xnn_value *a, const et_xnn_value *b) {
  return a->dims.rank == b->dims.rank &&
         memcmp(a->dims.sizes, b->dims.sizes,
                a->dims.rank * sizeof a->dims.sizes[0]) == 0;
}

/* Returns true if the node's rule clamps its output and the node does not have bounds yet. */
static bool accepts_bounds(const et_xnn_node *node) {
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

/* Returns true if a layer may write value `to` instead of value `from`. As in XNNPACK, the
 * quantizations may differ. */
static bool are_alike(const nodes *n, uint32_t from, uint32_t to) {
  const et_xnn_value a = value_at(n, from);
  const et_xnn_value b = value_at(n, to);
  return b.constant == 0 && same_sizes(&a, &b) && a.datatype == b.datatype &&
         (et_xnn_is_8_bit(&a) || et_xnn_is_floating(&a));
}

bool et_xnn_is_float_layer(const nodes *n, const et_xnn_node *node) {
  const bool is_layer = node->tag == ET_XNN_NODE_CONVOLUTION ||
                        node->tag == ET_XNN_NODE_DEPTHWISE ||
                        (node->tag == ET_XNN_NODE_FULLY_CONNECTED &&
                         (node->flags & ET_XNN_FLAG_RESHAPE_2D) == 0);
  return is_layer && is_float(n, node->inputs[0]) &&
         is_float(n, node->inputs[1]) && is_float(n, node->outputs[0]);
}

/* Returns the layer that computes input `which` of an addition and can add the other input as its
 * residual, or NONE. */
static uint32_t find_added_layer(const nodes *n, const et_xnn_node *sum,
                                 uint8_t which) {
  const uint32_t index =
      et_xnn_sole_writer(n->uses, n->graph, sum->index, sum->inputs[which]);
  const et_xnn_value other = value_at(n, sum->inputs[1 - which]);
  if (index == NONE || other.datatype != ET_XNN_FP32 ||
      !are_alike(n, sum->inputs[which], sum->outputs[0])) {
    return NONE;
  }
  const et_xnn_value own = value_at(n, sum->inputs[which]);
  const et_xnn_node layer = et_xnn_node_at(n->graph, index);
  return et_xnn_is_float_layer(n, &layer) &&
                 layer.tag != ET_XNN_NODE_DEPTHWISE &&
                 !et_xnn_is_bounded(&layer) && same_sizes(&own, &other)
             ? index
             : NONE;
}

static bool reads_windows(const et_xnn_node *node) {
  return node->tag == ET_XNN_NODE_CONVOLUTION ||
         node->tag == ET_XNN_NODE_DEPTHWISE;
}

/* Returns the node that quantizes rows for the linear layer `product`, or NONE if other nodes read
 * the rows. The op of the layer quantizes rows itself. */
static uint32_t find_rows(const nodes *n, const et_xnn_node *product) {
  const uint32_t index =
      et_xnn_sole_writer(n->uses, n->graph, product->index, product->inputs[0]);
  const et_xnn_value rows = value_at(n, product->inputs[0]);
  if (index == NONE || rows.datatype != ET_XNN_QDINT8 ||
      rows.quantization.row_dims != 1 || !is_float(n, product->outputs[0])) {
    return NONE;
  }
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  return node.tag == ET_XNN_NODE_CONVERT && is_float(n, node.inputs[0]) ? index
                                                                        : NONE;
}

/* Returns the node that is fused into `node`, or NONE. */
static uint32_t find_fused(const nodes *n, const et_xnn_node *node) {
  if (node->tag == ET_XNN_NODE_ADD) {
    const uint32_t first = find_added_layer(n, node, 0);
    return first != NONE ? first : find_added_layer(n, node, 1);
  }
  if (reads_windows(node)) {
    return et_xnn_find_pad(n->uses, n->graph, node->index, ET_XNN_NHWC, node);
  }
  if (node->tag == ET_XNN_NODE_FULLY_CONNECTED) {
    return find_rows(n, node);
  }
  if (node->tag != ET_XNN_NODE_CLAMP && node->tag != ET_XNN_NODE_HARDSWISH) {
    return NONE;
  }
  const uint32_t index =
      et_xnn_sole_writer(n->uses, n->graph, node->index, node->inputs[0]);
  if (index == NONE || !are_alike(n, node->inputs[0], node->outputs[0])) {
    return NONE;
  }
  const et_xnn_node before = et_xnn_node_at(n->graph, index);
  const bool fits = node->tag == ET_XNN_NODE_CLAMP
                        ? accepts_bounds(&before)
                        : et_xnn_is_float_layer(n, &before) &&
                              !et_xnn_is_bounded(&before) &&
                              !et_xnn_is_bounded(node);
  return fits ? index : NONE;
}

/* Appends node `last` to the layer. */
static void extend(const et_xnn_node *last, et_xnn_node *layer) {
  if (reads_windows(last)) {
    const et_xnn_node pad = *layer;
    *layer = *last;
    et_xnn_fold_pad(&pad, ET_XNN_NHWC, layer);
    return;
  }
  if (last->tag == ET_XNN_NODE_FULLY_CONNECTED) {
    const uint32_t rows = layer->inputs[0];
    *layer = *last;
    layer->inputs[0] = rows;
    layer->rounds_rows = true;
    return;
  }
  if (last->tag == ET_XNN_NODE_ADD) {
    const bool is_first = last->inputs[0] == layer->outputs[0];
    layer->inputs[layer->input_count++] = last->inputs[is_first ? 1 : 0];
  }
  if (last->tag == ET_XNN_NODE_HARDSWISH) {
    layer->activation = ET_CPU_ACTIVATION_FUNCTION_HARDSWISH;
  }
  layer->low = last->low;
  layer->high = last->high;
  layer->outputs[0] = last->outputs[0];
}

/* Recursion has at most four levels: a clamp may fuse an addition, an addition a layer, and a layer
 * a pad or a dynamic quantization. Pads and dynamic quantizations fuse nothing. */
et_xnn_node et_xnn_layer_of(const nodes *n, uint32_t index) {
  const et_xnn_node last = et_xnn_node_at(n->graph, index);
  const uint32_t taken = find_fused(n, &last);
  if (taken == NONE) {
    return last;
  }
  et_xnn_node layer = et_xnn_layer_of(n, taken);
  extend(&last, &layer);
  return layer;
}

uint32_t et_xnn_last_of(const nodes *n, uint32_t index) {
  for (;;) {
    const et_xnn_node node = et_xnn_node_at(n->graph, index);
    const uint32_t reader =
        et_xnn_sole_reader(n->uses, n->graph, index, node.outputs[0]);
    if (reader == NONE) {
      return index;
    }
    const et_xnn_node after = et_xnn_node_at(n->graph, reader);
    if (find_fused(n, &after) != index) {
      return index;
    }
    index = reader;
  }
}
