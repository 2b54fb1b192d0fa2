/* Each layer belongs to exactly one group. A layer that et_xnn_is_in_chain() reports does not get
 * its own op, so the chain that ends later must contain it. Both functions use the same predicates:
 * is_row_tiled() and count_before().
 *
 * The predicates read only the payload: nodes, declared sizes and the number of readers. The sizes
 * of a call do not affect them. Measuring, building and resizing therefore see the same groups. If
 * these ever differ, the count checks of builder.c reject the graph.
 *
 * Selection relies on declared sizes (et_xnn_prefers_row_tiling). The rule in row_tiling.c verifies
 * channels and workspaces before it emits the op. */
#include "backends/xnnpack/runtime/group.h"

#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/layer.h"
#include "backends/xnnpack/runtime/schema.h"

#define NONE ET_XNN_NO_NODE

/* Maximum number of consecutive blocks in which each shares a layer with the next. Blocks beyond
 * this limit are not tiled, which bounds the time of a lookup. */
#define MAX_OVERLAPPING 64

/* Maximum number of chainable blocks before a block. A block with more of them starts a new op. */
#define MAX_CHAINED 16

/* A candidate block, identified by the last nodes of its three layers. */
typedef struct candidate {
  et_xnn_part part;
  uint32_t expand;
  uint32_t filter;
  uint32_t project;
} candidate;

/* Returns the last node of the layer that computes input 0 of `layer`, or NONE if `layer` is not
 * its only reader. */
static uint32_t layer_before(const et_xnn_nodes *n, const et_xnn_node *layer) {
  return et_xnn_sole_writer(n->uses, n->graph, layer->index, layer->inputs[0]);
}

/* Returns the last node of the layer that is the only reader of output 0 of node `index`, or NONE.
 * `index` may be NONE. */
static uint32_t layer_after(const et_xnn_nodes *n, uint32_t index) {
  if (index == NONE) {
    return NONE;
  }
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  const uint32_t reader =
      et_xnn_sole_reader(n->uses, n->graph, index, node.outputs[0]);
  return reader == NONE ? NONE : et_xnn_last_of(n, reader);
}

/* Sets *out to the layer that ends with node `index`. Returns true if it is a float32 layer with
 * the given tag. `index` may be NONE. */
static bool find_layer(const et_xnn_nodes *n, uint32_t index, uint8_t tag,
                       et_xnn_node *out) {
  if (index == NONE) {
    return false;
  }
  *out = et_xnn_layer_of(n, index);
  return out->tag == tag && et_xnn_is_float_layer(n, out);
}

/* Returns true if the layer that ends with node `index` and the two layers before it form a block
 * that is faster with row tiling. The expand layer must not have a residual. */
static bool find_block(const et_xnn_nodes *n, uint32_t index, candidate *out) {
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
         et_xnn_prefers_row_tiling(n->graph, p);
}

/* Like find_block(), but also resolves overlaps. The expand layer of a block may be the project
 * layer of the block before it. In a run of such blocks, the first, third, fifth, ... are selected,
 * so that no layer belongs to two of them. */
static bool find_selected_block(const et_xnn_nodes *n, uint32_t index,
                                candidate *out) {
  candidate before;
  size_t sharing = 0;
  if (!find_block(n, index, out)) {
    return false;
  }
  before = *out;
  while (sharing < MAX_OVERLAPPING && find_block(n, before.expand, &before)) {
    sharing++;
  }
  return sharing < MAX_OVERLAPPING && sharing % 2 == 0;
}

/* Like find_selected_block(), but caches negative answers in uses->no_blocks. `index` may be
 * NONE. */
static bool is_row_tiled(const et_xnn_nodes *n, uint32_t index,
                         candidate *out) {
  uint32_t *known = &n->uses->no_blocks[index % ET_XNN_CACHED_NODES];
  if (index == NONE || *known == index + 1) {
    return false;
  }
  const bool is_one = find_selected_block(n, index, out);
  if (!is_one) {
    *known = index + 1;
  }
  return is_one;
}

/* Finds the previous block if `block` can expand its output row by row. Its project layer must not
 * have a residual, because the op adds a residual only in its last block. */
static bool find_before(const et_xnn_nodes *n, const candidate *block,
                        candidate *before) {
  return et_xnn_expands_rows(n->graph, &block->part) &&
         is_row_tiled(n, layer_before(n, &block->part.expand), before) &&
         before->part.project.input_count == ET_XNN_RESIDUAL;
}

/* Returns the number of blocks that precede this one in its op, which is less than
 * ET_CPU_MBCONV_MAX_BLOCKS. Runs are split into ops of ET_CPU_MBCONV_MAX_BLOCKS blocks, counted
 * from the first block of the run. */
static size_t count_before(const et_xnn_nodes *n, const candidate *block) {
  candidate at = *block;
  candidate before;
  size_t count = 0;
  while (count <= MAX_CHAINED && find_before(n, &at, &before)) {
    at = before;
    count++;
  }
  return count > MAX_CHAINED ? 0 : count % ET_CPU_MBCONV_MAX_BLOCKS;
}

/* Returns true if the block that ends with node `index` shares its op with the next block. */
static bool shares_op_with_next(const et_xnn_nodes *n, uint32_t index) {
  const uint32_t expand = layer_after(n, index);
  candidate block;
  candidate before;
  return is_row_tiled(n, layer_after(n, layer_after(n, expand)), &block) &&
         block.expand == expand && count_before(n, &block) > 0 &&
         find_before(n, &block, &before) && before.project == index;
}

bool et_xnn_is_in_chain(const et_xnn_nodes *n, uint32_t index) {
  const uint32_t next = layer_after(n, index);
  candidate block;
  if (is_row_tiled(n, next, &block) && block.filter == index) {
    return true;
  }
  if (is_row_tiled(n, layer_after(n, next), &block) && block.expand == index) {
    return true;
  }
  return is_row_tiled(n, index, &block) && shares_op_with_next(n, index);
}

bool et_xnn_chain_of(const et_xnn_nodes *n, uint32_t index, et_xnn_group *out) {
  candidate block;
  if (!is_row_tiled(n, index, &block)) {
    return false;
  }
  const size_t count = count_before(n, &block);
  out->part_count = (uint8_t)(count + 1);
  out->node = block.part.project;
  out->parts[count] = block.part;
  for (size_t i = count; i-- > 0;) {
    candidate before;
    (void)find_before(n, &block,
                      &before); /* succeeds, because count_before() found it */
    out->parts[i] = before.part;
    block = before;
  }
  out->node.inputs[0] = out->parts[0].expand.inputs[0];
  return true;
}

/* Fuses the transpose before the first layer. The input of the transpose becomes that of the
 * group. */
static void read_planar_input(const et_xnn_nodes *n, et_xnn_group *group) {
  et_xnn_node *first =
      group->part_count > 0 ? &group->parts[0].expand : &group->node;
  et_xnn_read_planar(n, first);
  group->node.inputs[ET_XNN_CONV_X] = first->inputs[ET_XNN_CONV_X];
  group->node.reads_planar = first->reads_planar;
}

bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out) {
  const et_xnn_nodes n = {uses, graph};
  if (et_xnn_last_of(&n, index) != index || et_xnn_permutes_planar(&n, index) ||
      et_xnn_is_in_chain(&n, index)) {
    return false;
  }
  if (!et_xnn_chain_of(&n, index, out)) {
    out->node = et_xnn_layer_of(&n, index);
    out->part_count = 0;
  }
  read_planar_input(&n, out);
  return true;
}
