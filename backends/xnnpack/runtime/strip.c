/* Step `block` of the CPU backend. Choices are those of its compiler, which has the
 * measurements: backends/cpu/compiler/cost.py. */
#include "backends/xnnpack/runtime/strip.h"

#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/rules.h"
#include "backends/xnnpack/runtime/schema.h"

extern const et_backend_part et_cpu_step_block;

#define LEAST_BYTES (512 << 10) /* of the expanded picture */
#define STRIP_PIXELS 56
#define TWO_WORKSPACES (640 << 10)

/* Taps down that the step lists on the stack. */
#define MOST_FILTER_HEIGHT 32

/* Sizes within which no product below overflows. */
#define MOST_SIZE (1 << 15)

/* A strip at the sizes that the payload declares. */
typedef struct strip {
  et_xnn_window expand;
  et_xnn_window filter;
  int64_t height; /* of the expanded picture */
  int64_t width;
  int64_t filtered_width;
  int64_t channels; /* between */
} strip;

static bool is_within(int64_t size) { return size >= 1 && size <= MOST_SIZE; }

/* Whether each channel has a filter of its own and no more. */
static bool filters_channels(const et_xnn_graph *graph,
                             const et_xnn_group *group, strip *s) {
  const et_xnn_node *node = &group->filter;
  const et_xnn_dims dims = et_xnn_value_at(graph, node->inputs[1]).dims;
  return et_xnn_window_of(node, &s->filter) && dims.rank == 4 &&
         dims.sizes[3] == s->channels &&
         et_fb_u32(&node->body, ET_XNN_CONV_GROUPS) == (uint64_t)s->channels &&
         et_fb_u32(&node->body, ET_XNN_CONV_GROUP_OUTPUTS) == 1 &&
         s->filter.kernel[0] <= MOST_FILTER_HEIGHT &&
         s->filter.dilation[0] <= MOST_SIZE && s->filter.stride[0] <= MOST_SIZE;
}

static bool projects_pixels(const et_xnn_group *group) {
  et_xnn_window w;
  return et_xnn_window_of(&group->node, &w) && et_xnn_is_pixel(&w) &&
         et_fb_u32(&group->node.body, ET_XNN_CONV_GROUPS) == 1;
}

/* Reads what the nodes say; false when they are no strip. */
static bool read(const et_xnn_graph *graph, const et_xnn_group *group,
                 strip *s) {
  const et_xnn_dims x =
      et_xnn_value_at(graph, group->expand.inputs[ET_XNN_CONV_X]).dims;
  const et_xnn_dims weights =
      et_xnn_value_at(graph, group->expand.inputs[ET_XNN_CONV_FILTER]).dims;
  if (x.rank != 4 || weights.rank != 4 ||
      !et_xnn_window_of(&group->expand, &s->expand) ||
      et_fb_u32(&group->expand.body, ET_XNN_CONV_GROUPS) != 1) {
    return false;
  }
  s->channels = weights.sizes[0];
  s->height = et_xnn_window_outputs(&s->expand, 0, x.sizes[1]);
  s->width = et_xnn_window_outputs(&s->expand, 1, x.sizes[2]);
  if (!is_within(s->channels) || !is_within(s->height) ||
      !is_within(s->width) || !filters_channels(graph, group, s)) {
    return false;
  }
  s->filtered_width = et_xnn_window_outputs(&s->filter, 1, (int32_t)s->width);
  return is_within(s->filtered_width) && projects_pixels(group);
}

/* What a thread needs for so many rows at once. */
static int64_t floats_of(const strip *s, int64_t rows) {
  const int64_t ring =
      (rows - 1) * s->filter.stride[0] +
      (int64_t)(s->filter.kernel[0] - 1) * s->filter.dilation[0] + 1;
  const int64_t padded = (s->channels + ET_XNN_PANEL - 1) / ET_XNN_PANEL;
  return (ring * s->width + rows * s->filtered_width) * padded * ET_XNN_PANEL;
}

/* Fewer rows where workspaces would be large. */
static int64_t rows_of(const strip *s) {
  int64_t rows = (STRIP_PIXELS + s->filtered_width - 1) / s->filtered_width;
  while (rows > 1 && 2 * 4 * floats_of(s, rows) > TWO_WORKSPACES) {
    rows--;
  }
  return rows;
}

bool et_xnn_prefers_strip(const et_xnn_graph *graph,
                          const et_xnn_group *group) {
  strip s;
  return read(graph, group, &s) &&
         s.height * s.width * s.channels * 4 >= LEAST_BYTES &&
         floats_of(&s, rows_of(&s)) <= INT32_MAX / ET_XNN_THREADS;
}

/* Weights and bias of one of the three. */
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

/* Panels of one matrix without the dim of its groups. */
static et_xnn_tensor panels_of(et_xnn_builder *b, const layer *l) {
  const et_xnn_matrix *m = &l->convolution.matrix;
  const et_xnn_dims dims = {
      .rank = 3,
      .sizes = {(m->outputs + ET_XNN_PANEL - 1) / ET_XNN_PANEL, m->depth,
                ET_XNN_PANEL}};
  return et_xnn_view(b, l->weights, &dims);
}

typedef struct layers {
  layer expand;
  layer filter;
  layer project;
} layers;

static void read_layers(et_xnn_builder *b, const et_xnn_group *g, layers *l) {
  const et_xnn_node *project = b->node;
  b->node = &g->expand;
  et_xnn_read_convolution(b, &l->expand.convolution);
  b->node = &g->filter;
  et_xnn_read_depthwise(b, &l->filter.convolution);
  b->node = project;
  et_xnn_read_convolution(b, &l->project.convolution);
  if (b->status != ET_STATUS_OK) {
    return;
  }
  ET_XNN_REQUIRE(
      b,
      l->expand.convolution.outputs == l->filter.convolution.channels &&
          l->filter.convolution.outputs == l->project.convolution.channels,
      "what it reads has other channels");
  et_xnn_as_columns(&l->filter.convolution);
  pack(b, &g->expand, &l->expand);
  pack(b, &g->filter, &l->filter);
  pack(b, &g->node, &l->project);
}

static void infer(et_xnn_builder *b, const layers *l) {
  const et_xnn_convolution_of *expand = &l->expand.convolution;
  et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[ET_XNN_CONV_X]);
  ET_XNN_REQUIRE(b,
                 b->mode == ET_XNN_COUNT ||
                     (dims.rank == 4 && dims.sizes[3] == expand->channels),
                 "its input is no image of %d channels", (int)expand->channels);
  for (size_t i = 0; i < 2 && dims.rank == 4; i++) {
    const int32_t size =
        et_xnn_window_outputs(&expand->window, i, dims.sizes[1 + i]);
    dims.sizes[1 + i] =
        et_xnn_window_outputs(&l->filter.convolution.window, i, size);
  }
  dims.sizes[3] = l->project.convolution.outputs;
  et_xnn_infer(b, 0, &dims);
}

/* Rows, planes, window, groups and activation of what expands, window and activation
 * of what filters, activation of what projects. */
#define WORDS                                                  \
  (1 + 1 + ET_XNN_WINDOW_WORDS + 1 + ET_XNN_ACTIVATION_WORDS + \
   ET_XNN_WINDOW_WORDS + ET_XNN_ACTIVATION_WORDS + ET_XNN_ACTIVATION_WORDS)

static void fill_words(const et_xnn_group *g, const strip *s,
                       uint32_t words[WORDS]) {
  uint32_t *to = words;
  *to++ = (uint32_t)rows_of(s);
  *to++ = 0; /* no planes */
  et_xnn_window_words(&s->expand, to);
  to += ET_XNN_WINDOW_WORDS;
  *to++ = 1; /* group */
  et_xnn_activation(&g->expand, to);
  to += ET_XNN_ACTIVATION_WORDS;
  et_xnn_window_words(&s->filter, to);
  to += ET_XNN_WINDOW_WORDS;
  et_xnn_activation(&g->filter, to);
  to += ET_XNN_ACTIVATION_WORDS;
  et_xnn_activation(&g->node, to);
}

static void emit(et_xnn_builder *b, const et_xnn_group *g, const layers *l,
                 const strip *s) {
  uint32_t words[WORDS];
  et_xnn_tensor inputs[8] = {
      et_xnn_tensor_of(b, b->node->inputs[ET_XNN_CONV_X]),
      l->expand.weights,
      l->expand.bias,
      panels_of(b, &l->filter),
      l->filter.bias,
      panels_of(b, &l->project),
      l->project.bias};
  const uint16_t count = et_xnn_add_residual(b, inputs, 7);
  fill_words(g, s, words);
  et_xnn_emit(b, &(et_xnn_emission){
                     .part = &et_cpu_step_block,
                     .inputs = inputs,
                     .input_count = count,
                     .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                     .workspace =
                         et_xnn_workspaces(b, (size_t)floats_of(s, rows_of(s))),
                     .workspace_count = 1,
                     .words = words,
                     .word_count = WORDS});
}

void et_xnn_strip(et_xnn_builder *b) {
  const et_xnn_group *group = b->group;
  strip s;
  layers l;
  read_layers(b, group, &l);
  if (b->status == ET_STATUS_OK && read(b->graph, group, &s)) {
    infer(b, &l);
    emit(b, group, &l, &s);
  }
}
