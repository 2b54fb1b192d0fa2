/* A node of the graph as the payload describes it. */
#ifndef BACKENDS_XNNPACK_RUNTIME_NODE_H_
#define BACKENDS_XNNPACK_RUNTIME_NODE_H_

#include "backends/xnnpack/runtime/value.h"

#define ET_XNN_MOST_INPUTS 5
#define ET_XNN_MOST_OUTPUTS 2

/* Flags that are known. */
enum {
  ET_XNN_FLAG_TRANSPOSED = 1,    /* weights or the second matrix */
  ET_XNN_FLAG_RESHAPE_2D = 4,    /* of a product: its result is a matrix */
  ET_XNN_FLAG_ALIGN_CORNERS = 8, /* of a resize */
  ET_XNN_FLAG_KEEP_DIMS = 0x40
};

typedef struct et_xnn_node {
  uint32_t index;
  uint8_t tag;      /* et_xnn_node_tag */
  et_fb_table body; /* its own table */
  uint32_t flags;
  uint32_t debug_handle;
  uint32_t inputs[ET_XNN_MOST_INPUTS]; /* ET_XNN_NO_VALUE: left out */
  uint32_t outputs[ET_XNN_MOST_OUTPUTS];
  uint8_t input_count;
  uint8_t output_count;
  uint8_t
      activation; /* et_cpu_activation_kind beside bounds: of layers, which node
                       * behind them is computed with them */
  float low;      /* bounds of the results; infinite where there are none */
  float high;
  bool reads_planar; /* of layers: input 0 is [B, C, H, W] */
  bool
      rounds_rows; /* of products: rows of input 0 are floats that become bytes */
  int32_t zeros_before[2]; /* of layers: rows and columns around input 0 beside
                              those that the window says */
  int32_t zeros_after[2];
} et_xnn_node;

/* Node `index`. Its ids are not looked at. */
et_xnn_node et_xnn_node_at(const et_xnn_graph *graph, uint32_t index);

/* That all nodes are known, name values that exist, and have flags and bounds that
 * are known. */
et_status et_xnn_check_nodes(const et_xnn_graph *graph, et_error *error);

/* As messages call it: "Add". */
const char *et_xnn_node_name(uint8_t tag);

/* Whether results are bounded. */
bool et_xnn_is_bounded(const et_xnn_node *node);

#endif /* BACKENDS_XNNPACK_RUNTIME_NODE_H_ */
