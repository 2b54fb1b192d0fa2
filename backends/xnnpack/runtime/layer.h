/* Layers. A layer is a main node together with adjacent nodes that are fused into its op. The
 * values between the nodes do not have other readers. These nodes are fused:
 *
 * - A clamp after the main node becomes the node's bounds. Exporters write separate clamps in
 *   quantized graphs. XNNPACK also fuses them, so that results are rounded once.
 * - A residual addition or a hardswish after a float32 layer.
 * - Zero padding before a convolution becomes padding of its window.
 * - A conversion to dynamically quantized rows before a linear layer. */
#ifndef BACKENDS_XNNPACK_RUNTIME_LAYER_H_
#define BACKENDS_XNNPACK_RUNTIME_LAYER_H_

#include "backends/xnnpack/runtime/uses.h"

/* Index of the residual among the inputs of a layer that has more than three inputs. */
#define ET_XNN_RESIDUAL 3

/* A graph and its use counts. All nodes must have been checked. */
typedef struct et_xnn_nodes {
  et_xnn_uses *uses;
  const et_xnn_graph *graph;
} et_xnn_nodes;

/* Returns the layer that ends with node `index`. The layer has the tag and attributes of its main
 * node, the output and bounds of its last node, and the fused residual, padding or activation. */
et_xnn_node et_xnn_layer_of(const et_xnn_nodes *n, uint32_t index);

/* Returns the last node of the layer that node `index` belongs to. */
uint32_t et_xnn_last_of(const et_xnn_nodes *n, uint32_t index);

/* Returns true if the node is a float32 convolution or linear layer whose op can apply an
 * activation. */
bool et_xnn_is_float_layer(const et_xnn_nodes *n, const et_xnn_node *node);

/* Zero padding of images. If a convolution is the only reader of a pad, the pad is folded into the
 * convolution's window and does not need an op or a tensor. */

/* Layout of an image. A constant's value is the index of the height dim. The width is the next
 * dim. */
typedef enum et_xnn_layout {
  ET_XNN_NHWC = 1,  /* [B, H, W, C] */
  ET_XNN_PLANAR = 2 /* [B, C, H, W] */
} et_xnn_layout;

/* Returns the pad that can be folded into the window of `layer`, or ET_XNN_NO_NODE. The pad
 * computes the input of node `reader`, and no other node reads its output. It pads height and width
 * with zeros, or with the zero point of quantized values, within the limits of the window. All
 * nodes must have been checked. */
uint32_t et_xnn_find_pad(et_xnn_uses *uses, const et_xnn_graph *graph,
                         uint32_t reader, et_xnn_layout layout,
                         const et_xnn_node *layer);

/* Folds `pad` into `layer`, which then reads the input of the pad. */
void et_xnn_fold_pad(const et_xnn_node *pad, et_xnn_layout layout,
                     et_xnn_node *layer);

/* Planar input of convolutions with few input channels. If a convolution is the only reader of a
 * transpose to NHWC, the transpose is dropped. Zero padding before the transpose is folded into the
 * window. */

/* Returns true if node `index`, a transpose to NHWC or a pad before it, is part of a layer that
 * reads planar input. */
bool et_xnn_permutes_planar(const et_xnn_nodes *n, uint32_t index);

/* Makes a layer from et_xnn_layer_of() read planar input, if possible. */
void et_xnn_read_planar(const et_xnn_nodes *n, et_xnn_node *layer);

#endif /* BACKENDS_XNNPACK_RUNTIME_LAYER_H_ */
