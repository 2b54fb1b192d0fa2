/* Rule for inverted residuals, which emits mbconv_f32. The thresholds are shared with the CPU
 * backend's compiler: backends/cpu/schema/cost_model.py.
 *
 * Blocks are selected before their rule runs (group.c). et_xnn_prefers_row_tiling() checks the
 * shapes, the filter height and the workspace of each block separately. The rule relies on these
 * checks and adds those that need the whole group:
 *
 * - read_layers() checks that each layer has as many input channels as the layer before it has
 *   outputs, and infer() checks this between blocks.
 * - emit() checks the sum of the blocks' workspaces, and that planar input is declared with valid
 *   sizes. Blocks are selected by the declared NHWC image, but read() uses the planar tensor once
 *   the transpose is folded into the block.
 *
 * Tile rows and workspaces follow from declared sizes, so all modes emit the same op. The check of
 * mbconv_f32 verifies the workspace against the sizes of the call. et_xnn_emit() runs it in all
 * modes except COUNT. */
#include "backends/xnnpack/runtime/group.h"

#include "backends/cpu/schema/cost_model.h"
#include "backends/cpu/schema/kernel_sizes.h"
#include "backends/cpu/schema/mbconv_f32.h"
#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/rules.h"
#include "backends/xnnpack/runtime/schema.h"

/* Maximum size in floats of a block's part of a thread's workspace. */
#define MAX_FLOATS (INT32_MAX / ET_XNN_THREADS / ET_CPU_MBCONV_MAX_BLOCKS)

/* A block with its declared sizes. */
typedef struct tiled_block {
  et_xnn_window expand;
  et_xnn_window filter;
  int64_t height; /* height and width of the expanded image */
  int64_t width;
  int64_t filtered_width;
  int64_t channels; /* channels of the expanded image */
} tiled_block;

/* With this limit, the products below fit in int64. */
static bool is_within(int64_t size) {
  return size >= 1 && size <= ET_CPU_MAX_KERNEL;
}

/* Reads the depthwise convolution. Returns false if it does not have one filter per channel. */
static bool filters_channels(const et_xnn_graph *graph, const et_xnn_part *part,
                             tiled_block *s) {
  const et_xnn_node *node = &part->filter;
  const et_xnn_dims dims = et_xnn_value_at(graph, node->inputs[1]).dims;
  return et_xnn_window_of(node, &s->filter) && dims.rank == 4 &&
         dims.sizes[3] == s->channels &&
         et_fb_u32(node->body, ET_XNN_CONV_GROUPS) == (uint64_t)s->channels &&
         et_fb_u32(node->body, ET_XNN_CONV_GROUP_OUTPUTS) == 1 &&
         s->filter.kernel[0] <= ET_CPU_MBCONV_MAX_ROWS &&
         s->filter.dilation[0] <= ET_CPU_MAX_KERNEL &&
         s->filter.stride[0] <= ET_CPU_MAX_KERNEL;
}

static bool is_gemm(const et_xnn_node *node) {
  et_xnn_window w;
  return et_xnn_window_of(node, &w) && et_xnn_is_pixel(&w) &&
         et_fb_u32(node->body, ET_XNN_CONV_GROUPS) == 1;
}

/* Reads the attributes and declared sizes of a block. Returns false if it is not an inverted
 * residual. */
static bool read(const et_xnn_graph *graph, const et_xnn_part *part,
                 tiled_block *s) {
  const et_xnn_dims x = et_xnn_as_image(
      &part->expand,
      et_xnn_value_at(graph, part->expand.inputs[ET_XNN_CONV_X]).dims);
  const et_xnn_dims weights =
      et_xnn_value_at(graph, part->expand.inputs[ET_XNN_CONV_FILTER]).dims;
  if (x.rank != 4 || weights.rank != 4 ||
      !et_xnn_window_of(&part->expand, &s->expand) ||
      et_fb_u32(part->expand.body, ET_XNN_CONV_GROUPS) != 1) {
    return false;
  }
  s->channels = weights.sizes[0];
  s->height = et_xnn_window_outputs(&s->expand, 0, x.sizes[1]);
  s->width = et_xnn_window_outputs(&s->expand, 1, x.sizes[2]);
  if (!is_within(s->channels) || !is_within(s->height) ||
      !is_within(s->width) || !filters_channels(graph, part, s)) {
    return false;
  }
  s->filtered_width = et_xnn_window_outputs(&s->filter, 1, (int32_t)s->width);
  return is_within(s->filtered_width) && is_gemm(&part->project);
}

/* Returns the size of a thread's workspace in floats. It has a ring of expanded rows and `rows`
 * filtered rows. */
static int64_t floats_of(const tiled_block *s, int64_t rows) {
  const int64_t ring =
      (rows - 1) * s->filter.stride[0] +
      (int64_t)(s->filter.kernel[0] - 1) * s->filter.dilation[0] + 1;
  const int64_t padded = (s->channels + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  return (ring * s->width + rows * s->filtered_width) * padded * ET_CPU_PANEL;
}

/* Returns the number of output rows in a tile. A tile has ET_CPU_ROW_TILING_PIXELS pixels, or fewer
 * if two workspaces would exceed ET_CPU_ROW_TILING_MAX_BYTES. */
static int64_t rows_of(const tiled_block *s) {
  int64_t rows =
      (ET_CPU_ROW_TILING_PIXELS + s->filtered_width - 1) / s->filtered_width;
  while (rows > 1 && 2 * 4 * floats_of(s, rows) > ET_CPU_ROW_TILING_MAX_BYTES) {
    rows--;
  }
  return rows;
}

/* Returns the size of a float32 image in bytes. */
static int64_t bytes_of(int64_t height, int64_t width, int64_t channels) {
  return height * width * channels * (int64_t)sizeof(float);
}

bool et_xnn_prefers_row_tiling(const et_xnn_graph *graph,
                               const et_xnn_part *part) {
  tiled_block s;
  return read(graph, part, &s) &&
         bytes_of(s.height, s.width, s.channels) >=
             ET_CPU_ROW_TILING_MIN_BYTES &&
         floats_of(&s, rows_of(&s)) <= MAX_FLOATS;
}

bool et_xnn_expands_rows(const et_xnn_graph *graph, const et_xnn_part *part) {
  const et_xnn_dims x =
      et_xnn_value_at(graph, part->expand.inputs[ET_XNN_CONV_X]).dims;
  return is_gemm(&part->expand) && x.rank == 4 && is_within(x.sizes[1]) &&
         is_within(x.sizes[2]) && is_within(x.sizes[3]) &&
         bytes_of(x.sizes[1], x.sizes[2], x.sizes[3]) >=
             ET_CPU_MBCONV_CHAIN_MIN_BYTES;
}

/* Geometry, packed weights and bias of one of the three layers. */
typedef struct layer {
  et_xnn_convolution_of convolution;
  et_xnn_tensor weights;
  et_xnn_tensor bias;
} layer;

static void pack(et_xnn_builder *b, const et_xnn_node *node, layer *l) {
  l->weights =
      et_xnn_pack_panels(b, &l->convolution.matrix, ET_SCALAR_TYPE_FLOAT32);
  l->bias = et_xnn_pack_bias(b, &l->convolution.matrix,
                             node->inputs[ET_XNN_CONV_BIAS]);
}

/* Returns the panels of one matrix, without the group dimension. */
static et_xnn_tensor panels_of(et_xnn_builder *b, const layer *l) {
  const et_xnn_matrix *m = &l->convolution.matrix;
  const et_xnn_dims dims = {
      .rank = 3,
      .sizes = {et_xnn_panels_of(m->outputs), m->depth, ET_CPU_PANEL}};
  return et_xnn_view(b, l->weights, &dims);
}

typedef struct layers {
  layer expand;
  layer filter;
  layer project;
} layers;

/* Reads a convolution or a depthwise convolution. */
static void read_node(et_xnn_builder *b, const et_xnn_node *node,
                      et_xnn_convolution_of *out) {
  const et_xnn_node *last = b->node;
  b->node = node;
  if (node->tag == ET_XNN_NODE_DEPTHWISE) {
    et_xnn_read_depthwise(b, out);
  } else {
    et_xnn_read_convolution(b, out);
  }
  b->node = last;
}

static void read_layers(et_xnn_builder *b, const et_xnn_part *part, layers *l) {
  read_node(b, &part->expand, &l->expand.convolution);
  read_node(b, &part->filter, &l->filter.convolution);
  read_node(b, &part->project, &l->project.convolution);
  if (b->status != ET_STATUS_OK) {
    return;
  }
  ET_XNN_REQUIRE(
      b,
      l->expand.convolution.outputs == l->filter.convolution.channels &&
          l->filter.convolution.outputs == l->project.convolution.channels,
      "layers have mismatched channels");
  et_xnn_as_columns(&l->filter.convolution);
  pack(b, &part->expand, &l->expand);
  pack(b, &part->filter, &l->filter);
  pack(b, &part->project, &l->project);
}

/* Replaces the sizes of a block's input with those of its output. */
static void infer_one(const layers *l, et_xnn_dims *dims) {
  for (size_t i = 0; i < 2; i++) {
    const int32_t size = et_xnn_window_outputs(&l->expand.convolution.window, i,
                                               dims->sizes[1 + i]);
    dims->sizes[1 + i] =
        et_xnn_window_outputs(&l->filter.convolution.window, i, size);
  }
  dims->sizes[3] = l->project.convolution.outputs;
}

static void infer(et_xnn_builder *b, const layers *l) {
  et_xnn_dims dims = et_xnn_image_dims(b);
  for (size_t i = 0; i < b->group->part_count && dims.rank == 4; i++) {
    const int32_t channels = l[i].expand.convolution.channels;
    ET_XNN_REQUIRE(b, b->mode == ET_XNN_COUNT || dims.sizes[3] == channels,
                   "input is not an image with %d channels", (int)channels);
    infer_one(&l[i], &dims);
  }
  et_xnn_infer(b, 0, &dims);
}

#define FIXED_WORDS ET_CPU_MBCONV_F32_ATTRIBUTES_WORDS
#define PART_WORDS ET_CPU_MBCONV_BLOCK_WORDS

static void fill_words(const et_xnn_part *part, const layers *l,
                       uint32_t words[PART_WORDS]) {
  const et_cpu_mbconv_block block = {
      .expand = {.planar = part->expand.reads_planar,
                 .window =
                     et_xnn_window_attributes(&l->expand.convolution.window),
                 .groups = 1,
                 .activation = et_xnn_activation_of(&part->expand)},
      .filter = {.window =
                     et_xnn_window_attributes(&l->filter.convolution.window),
                 .activation = et_xnn_activation_of(&part->filter)},
      .project = {.activation = et_xnn_activation_of(&part->project)}};
  et_cpu_mbconv_block_write(&block, words);
}

#define PART_INPUTS 6

static void fill_inputs(et_xnn_builder *b, const layers *l,
                        et_xnn_tensor inputs[PART_INPUTS]) {
  inputs[0] = l->expand.weights;
  inputs[1] = l->expand.bias;
  inputs[2] = panels_of(b, &l->filter);
  inputs[3] = l->filter.bias;
  inputs[4] = panels_of(b, &l->project);
  inputs[5] = l->project.bias;
}

/* Workspace of a thread, and tile rows of the last block. Earlier blocks produce one row at a time,
 * which is stored after their own workspace. `rows` is 0 if a block cannot be read: the declared
 * sizes of a planar input may differ from those of its transposed image, which were used to select
 * the block. */
typedef struct needs {
  int64_t floats;
  int64_t rows;
} needs;

static needs needs_of(const et_xnn_builder *b, const layers *l) {
  const et_xnn_group *g = b->group;
  needs r = {0, 1};
  for (size_t i = 0; i < g->part_count; i++) {
    const bool is_last = i + 1u == g->part_count;
    tiled_block s = {.channels = 0};
    if (!read(b->graph, &g->parts[i], &s)) {
      return (needs){0, 0};
    }
    r.rows = is_last ? rows_of(&s) : 1;
    r.floats +=
        floats_of(&s, r.rows) +
        (is_last ? 0 : s.filtered_width * l[i].project.convolution.outputs);
  }
  return r;
}

static void emit(et_xnn_builder *b, const layers *l) {
  const et_xnn_group *g = b->group;
  const needs needed = needs_of(b, l);
  const et_cpu_mbconv_f32_attributes attributes = {.rows =
                                                       (int32_t)needed.rows};
  uint32_t words[FIXED_WORDS + ET_CPU_MBCONV_MAX_BLOCKS * PART_WORDS];
  et_xnn_tensor inputs[2 + ET_CPU_MBCONV_MAX_BLOCKS * PART_INPUTS] = {
      et_xnn_tensor_of(b, b->node->inputs[ET_XNN_CONV_X])};
  ET_XNN_REQUIRE(b, needed.rows > 0,
                 "declared sizes of the planar input do not match those of its "
                 "transpose");
  ET_XNN_REQUIRE(b, needed.floats <= INT32_MAX / ET_XNN_THREADS,
                 "requires too much memory");
  for (size_t i = 0; i < g->part_count; i++) {
    fill_inputs(b, &l[i], inputs + 1 + i * PART_INPUTS);
    fill_words(&g->parts[i], &l[i], words + FIXED_WORDS + i * PART_WORDS);
  }
  et_cpu_mbconv_f32_attributes_write(&attributes, words);
  const uint16_t count = et_xnn_add_residual(
      b, inputs, (uint16_t)(1 + g->part_count * PART_INPUTS));
  et_xnn_emit(b, &(et_xnn_emission){
                     .part = &et_cpu_op_mbconv_f32,
                     .inputs = inputs,
                     .input_count = count,
                     .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                     .workspace = et_xnn_workspaces(b, (size_t)needed.floats),
                     .workspace_count = 1,
                     .words = words,
                     .word_count =
                         (uint16_t)(FIXED_WORDS + g->part_count * PART_WORDS)});
}

void et_xnn_row_tiles(et_xnn_builder *b) {
  layers l[ET_CPU_MBCONV_MAX_BLOCKS];
  for (size_t i = 0; i < b->group->part_count; i++) {
    read_layers(b, &b->group->parts[i], &l[i]);
  }
  if (b->status == ET_STATUS_OK) {
    infer(b, l);
    emit(b, l);
  }
}
