#include "backends/xnnpack/runtime/node.h"

#include <math.h>

#include "backends/xnnpack/runtime/recent.h"
#include "backends/xnnpack/runtime/schema.h"

/* Positions of the value ids and of the flags in the table of a node. */
typedef struct node_fields {
  const char *name;
  uint8_t input_count;
  uint8_t inputs[ET_XNN_MAX_INPUTS];
  uint8_t output_count;
  uint8_t output; /* first output */
  uint8_t flags;
  uint8_t known_flags;
  bool last_is_optional; /* the last input is optional */
} node_fields;

#define UNARY(name) {name, 1, {0}, 1, 1, 2, 0, false}
#define BINARY(name) {name, 2, {0, 1}, 1, 2, 3, 0, false}
#define PARAMETER(name) {name, 1, {1}, 1, 2, 3, 0, false}
#define SHAPED(name) {name, 1, {2}, 1, 3, 4, 0, false}
#define CONVOLUTION(name) {name, 3, {15, 16, 17}, 1, 18, 19, 0, true}
#define POOL(name) {name, 1, {10}, 1, 11, 12, ET_XNN_FLAG_KEEP_DIMS, false}
#define CONCATENATE(name, count) \
  {name, count, {1, 2, 3, 4, 7}, 1, 5, 6, 0, false}

/* Flags that select an implementation but do not change results. */
#define IGNORED_FLAGS (0x10 | 0x20 | 0x100 | 0x80)

static const node_fields all[ET_XNN_NODE_TAG_COUNT] = {
    [ET_XNN_NODE_ADD] = BINARY("Add"),
    [ET_XNN_NODE_FULLY_CONNECTED] = {"FullyConnected",
                                     3,
                                     {0, 1, 2},
                                     1,
                                     3,
                                     4,
                                     ET_XNN_FLAG_TRANSPOSED |
                                         ET_XNN_FLAG_RESHAPE_2D,
                                     true},
    [ET_XNN_NODE_SOFTMAX] = UNARY("Softmax"),
    [ET_XNN_NODE_SIGMOID] = UNARY("Sigmoid"),
    [ET_XNN_NODE_TRANSPOSE] = SHAPED("StaticTranspose"),
    [ET_XNN_NODE_CLAMP] = UNARY("Clamp"),
    [ET_XNN_NODE_CONVOLUTION] = CONVOLUTION("Conv2d"),
    [ET_XNN_NODE_DIVIDE] = BINARY("Div"),
    [ET_XNN_NODE_RESIZE] = {"StaticResizeBilinear2D",
                            1,
                            {2},
                            1,
                            3,
                            4,
                            ET_XNN_FLAG_ALIGN_CORNERS,
                            false},
    [ET_XNN_NODE_PAD] = {"StaticConstantPad", 1, {3}, 1, 4, 5, 0, false},
    [ET_XNN_NODE_AVERAGE_POOL] = POOL("AvgPooling2d"),
    [ET_XNN_NODE_MINIMUM] = BINARY("Minimum"),
    [ET_XNN_NODE_DEPTHWISE] = CONVOLUTION("DepthwiseConv2d"),
    [ET_XNN_NODE_MAX_POOL] = POOL("MaxPooling2d"),
    [ET_XNN_NODE_MULTIPLY] = BINARY("Multiply"),
    [ET_XNN_NODE_SUBTRACT] = BINARY("Subtract"),
    [ET_XNN_NODE_FLOOR] = UNARY("Floor"),
    [ET_XNN_NODE_CONVERT] = UNARY("Convert"),
    [ET_XNN_NODE_GLOBAL_POOL] =
        {"GlobalAvgPooling2d", 1, {0}, 1, 1, 2, ET_XNN_FLAG_KEEP_DIMS, false},
    [ET_XNN_NODE_RESHAPE] = SHAPED("StaticReshape"),
    [ET_XNN_NODE_ARGMAX_POOL] = {"ArgMaxPooling2d", 1, {6}, 2, 7, 9, 0, false},
    [ET_XNN_NODE_SQUARE_ROOT] = UNARY("SquareRoot"),
    [ET_XNN_NODE_CEILING] = UNARY("Ceiling"),
    [ET_XNN_NODE_HARDSWISH] = UNARY("Hardswish"),
    [ET_XNN_NODE_LEAKY_RELU] = PARAMETER("LeakyReLU"),
    [ET_XNN_NODE_MAXIMUM] = BINARY("Maximum"),
    [ET_XNN_NODE_NEGATE] = UNARY("Negate"),
    [ET_XNN_NODE_SQUARE] = UNARY("Square"),
    [ET_XNN_NODE_ELU] = PARAMETER("ELU"),
    [ET_XNN_NODE_ABSOLUTE] = UNARY("Abs"),
    [ET_XNN_NODE_PRELU] = BINARY("PReLU"),
    [ET_XNN_NODE_CONCATENATE2] = CONCATENATE("Concatenate2", 2),
    [ET_XNN_NODE_CONCATENATE3] = CONCATENATE("Concatenate3", 3),
    [ET_XNN_NODE_CONCATENATE4] = CONCATENATE("Concatenate4", 4),
    [ET_XNN_NODE_SLICE] = {"StaticSlice", 1, {3}, 1, 4, 5, 0, false},
    [ET_XNN_NODE_MATRIX_PRODUCT] = {"BatchMatrixMultiply",
                                    2,
                                    {0, 1},
                                    1,
                                    2,
                                    3,
                                    ET_XNN_FLAG_TRANSPOSED,
                                    false},
    [ET_XNN_NODE_CONCATENATE5] = CONCATENATE("Concatenate5", 5),
    [ET_XNN_NODE_TRANSPOSED_CONVOLUTION] = CONVOLUTION("ConvTranspose2d"),
    [ET_XNN_NODE_RECIPROCAL_ROOT] = UNARY("ReciprocalSquareRoot"),
    [ET_XNN_NODE_LOGARITHM] = UNARY("Log"),
    [ET_XNN_NODE_GELU] = UNARY("Gelu"),
    [ET_XNN_NODE_TANH] = UNARY("Tanh"),
    [ET_XNN_NODE_EXPONENTIAL] = UNARY("Exp"),
    [ET_XNN_NODE_SINE] = UNARY("Sin"),
    [ET_XNN_NODE_COPY] = UNARY("Copy"),
    [ET_XNN_NODE_COSINE] = UNARY("Cos"),
};

const char *et_xnn_node_name(uint8_t tag) {
  const char *name = tag < ET_XNN_NODE_TAG_COUNT ? all[tag].name : NULL;
  return name != NULL ? name : "unknown";
}

bool et_xnn_is_bounded(const et_xnn_node *node) {
  return node->low > -INFINITY || node->high < INFINITY;
}

static void read_bounds(et_fb_table table, et_xnn_node *node) {
  node->low = -INFINITY;
  node->high = INFINITY;
  if (et_fb_has(table, ET_XNN_NODE_BOUNDS)) {
    const et_fb_table bounds = et_fb_child(table, ET_XNN_NODE_BOUNDS);
    node->low = et_fb_f32(bounds, ET_XNN_BOUNDS_LOW);
    node->high = et_fb_f32(bounds, ET_XNN_BOUNDS_HIGH);
  }
}

static et_xnn_node read_node(const et_xnn_graph *graph, uint32_t index) {
  const et_fb_table table = et_fb_child_at(graph->nodes, index);
  et_xnn_node node = {.index = index,
                      .tag = et_fb_u8(table, ET_XNN_NODE_TAG),
                      .body = et_fb_child(table, ET_XNN_NODE)};
  const node_fields *p = &all[node.tag < ET_XNN_NODE_TAG_COUNT ? node.tag : 0];
  node.debug_handle = et_fb_u32(table, ET_XNN_NODE_DEBUG_HANDLE);
  node.flags = et_fb_u32(node.body, p->flags);
  node.input_count = p->input_count;
  for (uint8_t i = 0; i < p->input_count; i++) {
    node.inputs[i] = et_fb_u32(node.body, p->inputs[i]);
  }
  node.output_count = p->output_count;
  for (uint8_t i = 0; i < p->output_count; i++) {
    node.outputs[i] = et_fb_u32(node.body, (uint16_t)(p->output + i));
  }
  read_bounds(table, &node);
  return node;
}

et_xnn_node et_xnn_node_at(const et_xnn_graph *graph, uint32_t index) {
  et_xnn_recent *recent = graph->recent;
  const size_t place = index % ET_XNN_RECENT;
  if (recent == NULL) {
    return read_node(graph, index);
  }
  if (recent->node_indices[place] != index) {
    recent->nodes[place] = read_node(graph, index);
    recent->node_indices[place] = index;
  }
  return recent->nodes[place];
}

static et_status check_ids(const et_xnn_graph *graph, const et_xnn_node *node,
                           et_error *error) {
  const node_fields *p = &all[node->tag];
  for (uint8_t i = 0; i < node->input_count; i++) {
    const bool may_lack = p->last_is_optional && i + 1 == node->input_count;
    ET_XNN_CHECK(error,
                 node->inputs[i] < et_fb_count(graph->values) ||
                     (may_lack && node->inputs[i] == ET_XNN_NO_VALUE),
                 "xnodes[%u] %s: input %u is out of range for %u values",
                 (unsigned)node->index, p->name, (unsigned)node->inputs[i],
                 (unsigned)et_fb_count(graph->values));
  }
  for (uint8_t i = 0; i < node->output_count; i++) {
    ET_XNN_CHECK(error, node->outputs[i] < et_fb_count(graph->values),
                 "xnodes[%u] %s: output %u is out of range for %u values",
                 (unsigned)node->index, p->name, (unsigned)node->outputs[i],
                 (unsigned)et_fb_count(graph->values));
  }
  return ET_STATUS_OK;
}

static et_status check_node(const et_xnn_graph *graph, uint32_t index,
                            et_error *error) {
  const et_xnn_node node = et_xnn_node_at(graph, index);
  const node_fields *p = &all[node.tag];
  ET_XNN_CHECK(error, p->name != NULL, "xnodes[%u] has unknown tag %u",
               (unsigned)index, (unsigned)node.tag);
  ET_XNN_CHECK(error,
               (node.flags & ~(uint32_t)(p->known_flags | IGNORED_FLAGS)) == 0,
               "xnodes[%u] %s: flags 0x%x are not supported", (unsigned)index,
               p->name, (unsigned)node.flags);
  ET_XNN_CHECK(error, node.low <= node.high,
               "xnodes[%u] %s: output range is empty", (unsigned)index,
               p->name);
  return check_ids(graph, &node, error);
}

et_status et_xnn_check_nodes(const et_xnn_graph *graph, et_error *error) {
  for (uint32_t i = 0; i < et_fb_count(graph->nodes); i++) {
    ET_RETURN_IF_ERROR(check_node(graph, i, error));
  }
  return ET_STATUS_OK;
}
