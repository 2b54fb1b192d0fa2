#include "backends/xnnpack/runtime/group.h"

#include <string.h>

#include "backends/cpu/simd/activation.h"
#include "backends/xnnpack/runtime/schema.h"
#include "backends/xnnpack/runtime/strip.h"

#define NONE ET_XNN_NO_NODE

/* Strips that follow each other without anything between: more are not looked at. */
#define MOST_FOLLOWING 64

/* What is asked about. */
typedef struct nodes {
  et_xnn_uses *uses;
  const et_xnn_graph *graph;
} nodes;

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

/* Whether one value may be written in place of the other: their quantizations may
 * differ, as they may for the official runtime. */
static bool are_alike(const nodes *n, uint32_t from, uint32_t to) {
  const et_xnn_value a = value_at(n, from);
  const et_xnn_value b = value_at(n, to);
  return b.constant == 0 && same_sizes(&a, &b) && a.datatype == b.datatype &&
         (et_xnn_is_bytes(&a) || et_xnn_is_floating(&a));
}

/* A layer from floats to floats whose step activates its results. */
static bool is_float_layer(const nodes *n, const et_xnn_node *node) {
  const bool is_layer = node->tag == ET_XNN_NODE_CONVOLUTION ||
                        node->tag == ET_XNN_NODE_DEPTHWISE ||
                        (node->tag == ET_XNN_NODE_FULLY_CONNECTED &&
                         (node->flags & ET_XNN_FLAG_RESHAPE_2D) == 0);
  return is_layer && is_float(n, node->inputs[0]) &&
         is_float(n, node->inputs[1]) && is_float(n, node->outputs[0]);
}

/* The layer that makes input `which` of a sum, and may add the other. */
static uint32_t find_summand(const nodes *n, const et_xnn_node *sum,
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
  return is_float_layer(n, &layer) && layer.tag != ET_XNN_NODE_DEPTHWISE &&
                 !et_xnn_is_bounded(&layer) && same_sizes(&own, &other)
             ? index
             : NONE;
}

/* The node whose result `node` is computed with, or NONE. */
static uint32_t find_taken(const nodes *n, const et_xnn_node *node) {
  if (node->tag == ET_XNN_NODE_ADD) {
    const uint32_t first = find_summand(n, node, 0);
    return first != NONE ? first : find_summand(n, node, 1);
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
                        ? takes_bounds(&before)
                        : is_float_layer(n, &before) &&
                              !et_xnn_is_bounded(&before) &&
                              !et_xnn_is_bounded(node);
  return fits ? index : NONE;
}

/* Puts what `last` does behind `layer`. */
static void extend(const et_xnn_node *last, et_xnn_node *layer) {
  if (last->tag == ET_XNN_NODE_ADD) {
    const bool is_first = last->inputs[0] == layer->outputs[0];
    layer->inputs[layer->input_count++] = last->inputs[is_first ? 1 : 0];
  }
  if (last->tag == ET_XNN_NODE_HARDSWISH) {
    layer->activation = ET_CPU_ACTIVATION_HARDSWISH;
  }
  layer->low = last->low;
  layer->high = last->high;
  layer->outputs[0] = last->outputs[0];
}

/* A node and those that it takes, of which there are two at most: a clamp takes a
 * sum, a sum a layer, and a layer nothing. */
static et_xnn_node layer_of(const nodes *n, uint32_t index) {
  const et_xnn_node last = et_xnn_node_at(n->graph, index);
  const uint32_t taken = find_taken(n, &last);
  if (taken == NONE) {
    return last;
  }
  et_xnn_node layer = layer_of(n, taken);
  extend(&last, &layer);
  return layer;
}

/* The last node of those that node `index` is computed with. */
static uint32_t last_of(const nodes *n, uint32_t index) {
  for (;;) {
    const et_xnn_node node = et_xnn_node_at(n->graph, index);
    const uint32_t reader =
        et_xnn_sole_reader(n->uses, n->graph, index, node.outputs[0]);
    if (reader == NONE) {
      return index;
    }
    const et_xnn_node after = et_xnn_node_at(n->graph, reader);
    if (find_taken(n, &after) != index) {
      return index;
    }
    index = reader;
  }
}

/* A strip, and where the layers before what projects end. */
typedef struct found {
  et_xnn_group group;
  uint32_t expand;
  uint32_t filter;
} found;

/* Whether the nodes that end with node `index` could be a strip. */
static bool find_strip(const nodes *n, uint32_t index, found *out) {
  et_xnn_group *g = &out->group;
  g->node = layer_of(n, index);
  if (g->node.tag != ET_XNN_NODE_CONVOLUTION || !is_float_layer(n, &g->node)) {
    return false;
  }
  out->filter =
      et_xnn_sole_writer(n->uses, n->graph, g->node.index, g->node.inputs[0]);
  if (out->filter == NONE) {
    return false;
  }
  g->filter = layer_of(n, out->filter);
  if (g->filter.tag != ET_XNN_NODE_DEPTHWISE ||
      !is_float_layer(n, &g->filter)) {
    return false;
  }
  out->expand = et_xnn_sole_writer(n->uses, n->graph, g->filter.index,
                                   g->filter.inputs[0]);
  if (out->expand == NONE) {
    return false;
  }
  g->expand = layer_of(n, out->expand);
  g->node.inputs[0] = g->expand.inputs[0];
  g->is_strip = true;
  return g->expand.tag == ET_XNN_NODE_CONVOLUTION &&
         is_float_layer(n, &g->expand) &&
         g->expand.input_count == ET_XNN_RESIDUAL &&
         et_xnn_prefers_strip(n->graph, g);
}

/* The same, and what it expands with is not what another strip projects with: of
 * strips that share such a layer the first, the third and so on are made. */
static bool is_strip(const nodes *n, uint32_t index, found *out) {
  found before;
  size_t following = 0;
  if (!find_strip(n, index, out)) {
    return false;
  }
  before = *out;
  while (following < MOST_FOLLOWING && find_strip(n, before.expand, &before)) {
    following++;
  }
  return following < MOST_FOLLOWING && following % 2 == 0;
}

/* Whether node `index`, which ends a layer, is what the strip behind it filters or
 * expands with. */
static bool is_in_strip(const nodes *n, uint32_t index) {
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  const uint32_t reader =
      et_xnn_sole_reader(n->uses, n->graph, index, node.outputs[0]);
  found strip;
  if (reader == NONE) {
    return false;
  }
  const uint32_t next = last_of(n, reader);
  if (is_strip(n, next, &strip) && strip.filter == index) {
    return true;
  }
  const et_xnn_node filter = et_xnn_node_at(n->graph, next);
  const uint32_t after =
      et_xnn_sole_reader(n->uses, n->graph, next, filter.outputs[0]);
  return after != NONE && is_strip(n, last_of(n, after), &strip) &&
         strip.expand == index;
}

bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out) {
  const nodes n = {uses, graph};
  found strip;
  if (last_of(&n, index) != index || is_in_strip(&n, index)) {
    return false;
  }
  if (is_strip(&n, index, &strip)) {
    *out = strip.group;
    return true;
  }
  out->node = layer_of(&n, index);
  out->is_strip = false;
  return true;
}
