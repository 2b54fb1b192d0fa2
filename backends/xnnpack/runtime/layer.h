/* Layers. A layer is a node together with adjacent nodes that its op can compute. The values
 * between them do not have other readers.
 *
 * - A clamp becomes the bounds of the node before it. Exporters write separate clamps in quantized
 *   graphs. XNNPACK fuses them too, so that results are rounded once.
 * - Float32 layers add a residual, or apply a hardswish.
 * - Convolutions use the zeros of a pad as padding of their windows.
 * - Linear layers quantize their rows dynamically. */
#ifndef BACKENDS_XNNPACK_RUNTIME_LAYER_H_
#define BACKENDS_XNNPACK_RUNTIME_LAYER_H_

#include "backends/xnnpack/runtime/uses.h"

/* Index of the input of a layer that is its residual, if the node has more than three inputs. */
#define ET_XNN_RESIDUAL 3

/* A graph and its use counts. All nodes must have been checked. */
typedef struct et_xnn_nodes {
  et_xnn_uses *uses;
  const et_xnn_graph *graph;
} et_xnn_nodes;

/* Returns the layer that ends with node `index`. It has the tag and attributes of its main node,
 * the output and bounds of the last node, and the fused residual, padding or activation. */
et_xnn_node et_xnn_layer_of(const et_xnn_nodes *n, uint32_t index);

/* Returns the last node of the layer that node `index` belongs to. */
uint32_t et_xnn_last_of(const et_xnn_nodes *n, uint32_t index);

/* Returns true if the node is a float32 convolution or linear layer, whose op can apply an
 * activation. */
bool et_xnn_is_float_layer(const et_xnn_nodes *n, const et_xnn_node *node);

#endif /* BACKENDS_XNNPACK_RUNTIME_LAYER_H_ */
