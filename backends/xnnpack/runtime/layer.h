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

/* Folds zero padding of images into the window of the convolution that is its only reader. Such a
 * pad has no op and no tensor. */

/* Layout of an image. Values are the index of the height dim; the width follows it. */
typedef enum et_xnn_layout {
  ET_XNN_NHWC = 1,  /* [B, H, W, C] */
  ET_XNN_PLANAR = 2 /* [B, C, H, W] */
} et_xnn_layout;

/* Returns the pad that can be folded into the window of `layer`, or ET_XNN_NO_NODE. The pad
 * computes the input of node `reader`, and no other node reads its output. It pads height and width with
 * zeros (int8: the zero point), within the limits of the window. All nodes must have been
 * checked. */
uint32_t et_xnn_find_pad(et_xnn_uses *uses, const et_xnn_graph *graph,
                         uint32_t reader, et_xnn_layout layout,
                         const et_xnn_node *layer);

/* Folds the pad into `layer`, which then reads the input of the pad. */
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
