#include "backends/xnnpack/runtime/chain.h"

#include "backends/xnnpack/runtime/schema.h"
#include "backends/xnnpack/runtime/strip.h"

#define NONE ET_XNN_NO_NODE

/* Strips that share a layer, one after the other: more are not looked at. */
#define MOST_SHARING 64

/* Strips that may be one op, one after the other: more are ops of their own. */
#define MOST_FOLLOWING 16

/* A strip, and the nodes that its layers end with. */
typedef struct found {
  et_xnn_part part;
  uint32_t expand;
  uint32_t filter;
  uint32_t project;
} found;

/* The node that ends the layer which makes what `layer` reads for it alone. */
static uint32_t layer_before(const et_xnn_nodes *n, const et_xnn_node *layer) {
  return et_xnn_sole_writer(n->uses, n->graph, layer->index, layer->inputs[0]);
}

/* The node that ends the layer which alone reads what node `index` makes. */
static uint32_t layer_behind(const et_xnn_nodes *n, uint32_t index) {
  if (index == NONE) {
    return NONE;
  }
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  const uint32_t reader =
      et_xnn_sole_reader(n->uses, n->graph, index, node.outputs[0]);
  return reader == NONE ? NONE : et_xnn_last_of(n, reader);
}

/* Whether node `index` ends a layer of floats with this tag, which is set. */
static bool find_layer(const et_xnn_nodes *n, uint32_t index, uint8_t tag,
                       et_xnn_node *out) {
  if (index == NONE) {
    return false;
  }
  *out = et_xnn_layer_of(n, index);
  return out->tag == tag && et_xnn_is_float_layer(n, out);
}

/* Whether the nodes that end with node `index` could be a strip. */
static bool find_strip(const et_xnn_nodes *n, uint32_t index, found *out) {
  et_xnn_part *p = &out->part;
  out->project = index;
  if (!find_layer(n, index, ET_XNN_NODE_CONVOLUTION, &p->project)) {
    return false;
  }
  out->filter = layer_before(n, &p->project);
  if (!find_layer(n, out->filter, ET_XNN_NODE_DEPTHWISE, &p->filter)) {
    return false;
  }
  out->expand = layer_before(n, &p->filter);
  return find_layer(n, out->expand, ET_XNN_NODE_CONVOLUTION, &p->expand) &&
         p->expand.input_count == ET_XNN_RESIDUAL &&
         et_xnn_prefers_strip(n->graph, p);
}

/* The same, and what it expands with is not what another strip projects with: of
 * strips that share such a layer the first, the third and so on are made. */
static bool find_own_strip(const et_xnn_nodes *n, uint32_t index, found *out) {
  found before;
  size_t sharing = 0;
  if (!find_strip(n, index, out)) {
    return false;
  }
  before = *out;
  while (sharing < MOST_SHARING && find_strip(n, before.expand, &before)) {
    sharing++;
  }
  return sharing < MOST_SHARING && sharing % 2 == 0;
}

/* The same for any node, or NONE. */
static bool is_strip(const et_xnn_nodes *n, uint32_t index, found *out) {
  uint32_t *known = &n->uses->no_strips[index % ET_XNN_REMEMBERED];
  if (index == NONE || *known == index + 1) {
    return false;
  }
  const bool is_one = find_own_strip(n, index, out);
  if (!is_one) {
    *known = index + 1;
  }
  return is_one;
}

/* The strip that may make the rows which `strip` expands as they are needed. */
static bool find_before(const et_xnn_nodes *n, const found *strip,
                        found *before) {
  return et_xnn_expands_rows(n->graph, &strip->part) &&
         is_strip(n, layer_before(n, &strip->part.expand), before) &&
         before->part.project.input_count == ET_XNN_RESIDUAL;
}

/* Strips before this one that are computed with it. */
static size_t count_before(const et_xnn_nodes *n, const found *strip) {
  found at = *strip;
  found before;
  size_t count = 0;
  while (count <= MOST_FOLLOWING && find_before(n, &at, &before)) {
    at = before;
    count++;
  }
  return count > MOST_FOLLOWING ? 0 : count % ET_XNN_MOST_PARTS;
}

/* Whether the strip that ends with node `index` is computed with the next one. */
static bool is_followed(const et_xnn_nodes *n, uint32_t index) {
  const uint32_t expand = layer_behind(n, index);
  found strip;
  found before;
  return is_strip(n, layer_behind(n, layer_behind(n, expand)), &strip) &&
         strip.expand == expand && count_before(n, &strip) > 0 &&
         find_before(n, &strip, &before) && before.project == index;
}

bool et_xnn_is_in_chain(const et_xnn_nodes *n, uint32_t index) {
  const uint32_t next = layer_behind(n, index);
  found strip;
  if (is_strip(n, next, &strip) && strip.filter == index) {
    return true;
  }
  if (is_strip(n, layer_behind(n, next), &strip) && strip.expand == index) {
    return true;
  }
  return is_strip(n, index, &strip) && is_followed(n, index);
}

bool et_xnn_chain_of(const et_xnn_nodes *n, uint32_t index, et_xnn_group *out) {
  found strip;
  if (!is_strip(n, index, &strip)) {
    return false;
  }
  const size_t count = count_before(n, &strip);
  out->part_count = (uint8_t)(count + 1);
  out->node = strip.part.project;
  out->parts[count] = strip.part;
  for (size_t i = count; i-- > 0;) {
    found before;
    (void)find_before(n, &strip, &before); /* which was counted */
    out->parts[i] = before.part;
    strip = before;
  }
  out->node.inputs[0] = out->parts[0].expand.inputs[0];
  return true;
}
