#include "backends/xnnpack/runtime/rules.h"

static et_xnn_rule *const rules[ET_XNN_NODE_TAG_COUNT] = {
    [ET_XNN_NODE_ADD] = et_xnn_binary,
    [ET_XNN_NODE_FULLY_CONNECTED] = et_xnn_fully_connected,
    [ET_XNN_NODE_SOFTMAX] = et_xnn_softmax,
    [ET_XNN_NODE_SIGMOID] = et_xnn_unary,
    [ET_XNN_NODE_TRANSPOSE] = et_xnn_transpose,
    [ET_XNN_NODE_CLAMP] = et_xnn_unary,
    [ET_XNN_NODE_CONVOLUTION] = et_xnn_convolution,
    [ET_XNN_NODE_DIVIDE] = et_xnn_binary,
    [ET_XNN_NODE_RESIZE] = et_xnn_resize,
    [ET_XNN_NODE_PAD] = et_xnn_pad,
    [ET_XNN_NODE_AVERAGE_POOL] = et_xnn_pool,
    [ET_XNN_NODE_MINIMUM] = et_xnn_binary,
    [ET_XNN_NODE_DEPTHWISE] = et_xnn_depthwise,
    [ET_XNN_NODE_MAX_POOL] = et_xnn_pool,
    [ET_XNN_NODE_MULTIPLY] = et_xnn_binary,
    [ET_XNN_NODE_SUBTRACT] = et_xnn_binary,
    [ET_XNN_NODE_FLOOR] = et_xnn_unary,
    [ET_XNN_NODE_CONVERT] = et_xnn_convert,
    [ET_XNN_NODE_GLOBAL_POOL] = et_xnn_global_pool,
    [ET_XNN_NODE_RESHAPE] = et_xnn_reshape,
    [ET_XNN_NODE_ARGMAX_POOL] = et_xnn_argmax_pool,
    [ET_XNN_NODE_SQUARE_ROOT] = et_xnn_unary,
    [ET_XNN_NODE_CEILING] = et_xnn_unary,
    [ET_XNN_NODE_HARDSWISH] = et_xnn_unary,
    [ET_XNN_NODE_LEAKY_RELU] = et_xnn_unary,
    [ET_XNN_NODE_MAXIMUM] = et_xnn_binary,
    [ET_XNN_NODE_NEGATE] = et_xnn_unary,
    [ET_XNN_NODE_SQUARE] = et_xnn_unary,
    [ET_XNN_NODE_ELU] = et_xnn_unary,
    [ET_XNN_NODE_ABSOLUTE] = et_xnn_unary,
    [ET_XNN_NODE_PRELU] = et_xnn_binary,
    [ET_XNN_NODE_CONCATENATE2] = et_xnn_concatenate,
    [ET_XNN_NODE_CONCATENATE3] = et_xnn_concatenate,
    [ET_XNN_NODE_CONCATENATE4] = et_xnn_concatenate,
    [ET_XNN_NODE_SLICE] = et_xnn_slice,
    [ET_XNN_NODE_MATRIX_PRODUCT] = et_xnn_matrix_product,
    [ET_XNN_NODE_CONCATENATE5] = et_xnn_concatenate,
    [ET_XNN_NODE_TRANSPOSED_CONVOLUTION] = et_xnn_transposed_convolution,
    [ET_XNN_NODE_RECIPROCAL_ROOT] = et_xnn_unary,
    [ET_XNN_NODE_LOGARITHM] = et_xnn_unary,
    [ET_XNN_NODE_GELU] = et_xnn_unary,
    [ET_XNN_NODE_TANH] = et_xnn_unary,
    [ET_XNN_NODE_EXPONENTIAL] = et_xnn_unary,
    [ET_XNN_NODE_SINE] = et_xnn_unary,
    [ET_XNN_NODE_COPY] = et_xnn_copy,
    [ET_XNN_NODE_COSINE] = et_xnn_unary,
};

et_status et_xnn_apply(et_xnn_builder *b, const et_xnn_group *group) {
  b->group = group;
  b->node = &group->node;
  b->own_scratch = 0;
  if (group->part_count > 0) {
    et_xnn_row_tiles(b);
  } else {
    rules[group->node.tag](b);
  }
  return b->status;
}
