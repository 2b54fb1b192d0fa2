/* Flatbuffer schema of payloads: field numbers, and field types for the verifier. */
#ifndef BACKENDS_XNNPACK_RUNTIME_SCHEMA_H_
#define BACKENDS_XNNPACK_RUNTIME_SCHEMA_H_

#include "runtime/program/schema_types.h"

/* Field numbers in the order of the schema. A union has two numbers: those of its tag and value. */
enum {
  ET_XNN_GRAPH_VERSION,
  ET_XNN_GRAPH_NODES,
  ET_XNN_GRAPH_VALUES,
  ET_XNN_GRAPH_EXTERN_COUNT,
  ET_XNN_GRAPH_INPUTS,
  ET_XNN_GRAPH_OUTPUTS,
  ET_XNN_GRAPH_BUFFERS, /* files without a header */
  ET_XNN_GRAPH_BUFFER_SIZES,
  ET_XNN_GRAPH_CONSTANTS
};
enum { ET_XNN_BUFFER_BYTES };
enum { ET_XNN_CONSTANT_OFFSET, ET_XNN_CONSTANT_SIZE, ET_XNN_CONSTANT_KEY };
enum { ET_XNN_VALUE_TAG, ET_XNN_VALUE };
enum {
  ET_XNN_TENSOR_DATATYPE,
  ET_XNN_TENSOR_RANK,
  ET_XNN_TENSOR_DIMS,
  ET_XNN_TENSOR_CONSTANT,
  ET_XNN_TENSOR_EXTERNAL,
  ET_XNN_TENSOR_FLAGS,
  ET_XNN_TENSOR_ID,
  ET_XNN_TENSOR_QUANTIZED_AS
};
enum { ET_XNN_QUANTIZED_TENSOR, ET_XNN_QUANTIZED_TAG, ET_XNN_QUANTIZED_BY };
enum {
  ET_XNN_CHANNEL_SCALES,
  ET_XNN_CHANNEL_DIM,
  ET_XNN_CHANNEL_CONSTANT,
  ET_XNN_CHANNEL_COUNT
};
enum { ET_XNN_TENSOR_SCALE, ET_XNN_TENSOR_ZERO_POINT };
enum { ET_XNN_ROW_DIMS };
enum {
  ET_XNN_GROUP_SCALES,
  ET_XNN_GROUP_DIM,
  ET_XNN_GROUP_SIZE,
  ET_XNN_GROUP_SCALES_BF16,
  ET_XNN_GROUP_CONSTANT,
  ET_XNN_GROUP_COUNT
};
enum {
  ET_XNN_NODE_TAG,
  ET_XNN_NODE,
  ET_XNN_NODE_DEBUG_HANDLE,
  ET_XNN_NODE_BOUNDS
};
enum { ET_XNN_BOUNDS_LOW, ET_XNN_BOUNDS_HIGH };

/* Attributes of nodes that their rules read. Values and flags are listed elsewhere. */
enum { ET_XNN_TRANSPOSE_RANK, ET_XNN_TRANSPOSE_ORDER };
enum { ET_XNN_RESHAPE_RANK, ET_XNN_RESHAPE_SIZES };
enum {
  ET_XNN_CONV_TOP,
  ET_XNN_CONV_RIGHT,
  ET_XNN_CONV_BOTTOM,
  ET_XNN_CONV_LEFT,
  ET_XNN_CONV_KERNEL_Y,
  ET_XNN_CONV_KERNEL_X,
  ET_XNN_CONV_STRIDE_Y,
  ET_XNN_CONV_STRIDE_X,
  ET_XNN_CONV_DILATION_Y,
  ET_XNN_CONV_DILATION_X,
  ET_XNN_CONV_GROUP_CHANNELS,
  ET_XNN_CONV_GROUP_OUTPUTS,
  ET_XNN_CONV_GROUPS,
  ET_XNN_CONV_ADJUST_Y,
  ET_XNN_CONV_ADJUST_X
};
enum { ET_XNN_RESIZE_HEIGHT, ET_XNN_RESIZE_WIDTH };
enum { ET_XNN_PAD_BEFORE, ET_XNN_PAD_AFTER, ET_XNN_PAD_VALUE };
enum { ET_XNN_CONCATENATE_AXIS };
enum { ET_XNN_SLICE_RANK, ET_XNN_SLICE_OFFSETS, ET_XNN_SLICE_SIZES };
enum { ET_XNN_UNARY_PARAMETER }; /* LeakyReLU, ELU */

/* Tags of the XNode union. X(NAME, tag, body): body is the type of the member's table. */
#define ET_XNN_NODE_LIST(X)                  \
  X(ADD, 1, BINARY)                          \
  X(FULLY_CONNECTED, 2, PRODUCT)             \
  X(SOFTMAX, 3, UNARY)                       \
  X(SIGMOID, 4, UNARY)                       \
  X(TRANSPOSE, 5, SHAPED)                    \
  X(CLAMP, 6, UNARY)                         \
  X(CONVOLUTION, 7, CONVOLUTION)             \
  X(DIVIDE, 8, BINARY)                       \
  X(RESIZE, 9, RESIZE)                       \
  X(PAD, 10, PAD)                            \
  X(AVERAGE_POOL, 11, POOL)                  \
  X(MINIMUM, 12, BINARY)                     \
  X(DEPTHWISE, 13, CONVOLUTION)              \
  X(MAX_POOL, 14, POOL)                      \
  X(MULTIPLY, 15, BINARY)                    \
  X(SUBTRACT, 16, BINARY)                    \
  X(FLOOR, 17, UNARY)                        \
  X(CONVERT, 18, UNARY)                      \
  X(GLOBAL_POOL, 19, UNARY)                  \
  X(RESHAPE, 20, SHAPED)                     \
  X(ARGMAX_POOL, 21, ARGMAX)                 \
  X(SQUARE_ROOT, 22, UNARY)                  \
  X(CEILING, 23, UNARY)                      \
  X(HARDSWISH, 24, UNARY)                    \
  X(LEAKY_RELU, 25, PARAMETER)               \
  X(MAXIMUM, 26, BINARY)                     \
  X(NEGATE, 27, UNARY)                       \
  X(SQUARE, 28, UNARY)                       \
  X(ELU, 29, PARAMETER)                      \
  X(ABSOLUTE, 30, UNARY)                     \
  X(PRELU, 31, BINARY)                       \
  X(CONCATENATE2, 32, CONCATENATE)           \
  X(CONCATENATE3, 33, CONCATENATE)           \
  X(CONCATENATE4, 34, CONCATENATE)           \
  X(SLICE, 35, SLICE)                        \
  X(ATTENTION, 36, ATTENTION)                \
  X(MATRIX_PRODUCT, 37, BINARY)              \
  X(CONCATENATE5, 38, CONCATENATE)           \
  X(TRANSPOSED_CONVOLUTION, 39, CONVOLUTION) \
  X(RECIPROCAL_ROOT, 40, UNARY)              \
  X(LOGARITHM, 41, UNARY)                    \
  X(GELU, 42, UNARY)                         \
  X(TANH, 43, UNARY)                         \
  X(EXPONENTIAL, 44, UNARY)                  \
  X(SINE, 45, UNARY)                         \
  X(COPY, 46, UNARY)                         \
  X(COSINE, 47, UNARY)

typedef enum et_xnn_node_tag {
#define ET_XNN_NODE_TAG_OF(NAME, tag, body) ET_XNN_NODE_##NAME = tag,
  ET_XNN_NODE_LIST(ET_XNN_NODE_TAG_OF)
#undef ET_XNN_NODE_TAG_OF
      ET_XNN_NODE_TAG_COUNT
} et_xnn_node_tag;

/* Tags of the XValue union and of its quantization union. */
enum { ET_XNN_VALUE_PLAIN = 1, ET_XNN_VALUE_QUANTIZED };
enum {
  ET_XNN_BY_CHANNEL = 1,
  ET_XNN_BY_TENSOR,
  ET_XNN_BY_ROW,
  ET_XNN_BY_GROUP
};

extern const et_schema et_xnn_schema;

#endif /* BACKENDS_XNNPACK_RUNTIME_SCHEMA_H_ */
