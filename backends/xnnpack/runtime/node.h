/* Nodes of the graph as described by the payload. */
#ifndef BACKENDS_XNNPACK_RUNTIME_NODE_H_
#define BACKENDS_XNNPACK_RUNTIME_NODE_H_

#include "backends/xnnpack/runtime/value.h"

#define ET_XNN_MAX_INPUTS 5
#define ET_XNN_MAX_NODE_OUTPUTS 2

/* Supported flags. */
enum {
  /* The weights or the second matrix are transposed. */
  ET_XNN_FLAG_TRANSPOSED = 1,
  /* FullyConnected flattens its input to a matrix. */
  ET_XNN_FLAG_RESHAPE_2D = 4,
  ET_XNN_FLAG_ALIGN_CORNERS = 8, /* in StaticResizeBilinear2D */
  ET_XNN_FLAG_KEEP_DIMS = 0x40
};

typedef struct et_xnn_node {
  uint32_t index;
  uint8_t tag;      /* et_xnn_node_tag */
  et_fb_table body; /* the node's table in the XNode union */
  uint32_t flags;
  uint32_t debug_handle;
  uint32_t inputs[ET_XNN_MAX_INPUTS]; /* ET_XNN_NO_VALUE if omitted */
  uint32_t outputs[ET_XNN_MAX_NODE_OUTPUTS];
  uint8_t input_count;
  uint8_t output_count;
  uint8_t activation;      /* fused activation other than a clamp */
  float low;               /* lower bound of the output; -infinity if absent */
  float high;              /* upper bound of the output; infinity if absent */
  bool reads_planar;       /* input 0 is [B, C, H, W] */
  bool rounds_rows;        /* whether to quantize the rows of input 0 */
  int32_t zeros_before[2]; /* fused padding (y, x) */
  int32_t zeros_after[2];
} et_xnn_node;

/* Returns node `index`. Its value ids are not checked. */
et_xnn_node et_xnn_node_at(const et_xnn_graph *graph, uint32_t index);

/* Checks that all nodes have supported tags, flags and bounds, and refer to existing values. */
et_status et_xnn_check_nodes(const et_xnn_graph *graph, et_error *error);

/* Returns the node's name in messages, such as "Add". */
const char *et_xnn_node_name(uint8_t tag);

/* Returns true if the output has bounds. */
bool et_xnn_is_bounded(const et_xnn_node *node);

#endif /* BACKENDS_XNNPACK_RUNTIME_NODE_H_ */
