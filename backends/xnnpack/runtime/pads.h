/* Folds zero padding of images into the window of the convolution that is its only reader. Such a
 * pad has no op and no tensor. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PADS_H_
#define BACKENDS_XNNPACK_RUNTIME_PADS_H_

#include "backends/xnnpack/runtime/uses.h"

/* Layout of an image. Values are the index of the height dim; the width follows it. */
typedef enum et_xnn_layout {
  ET_XNN_NHWC = 1,  /* [B, H, W, C] */
  ET_XNN_PLANAR = 2 /* [B, C, H, W] */
} et_xnn_layout;

/* Returns the pad that can be folded into the window of `layer`, or ET_XNN_NO_NODE. The pad
 * computes the input of node `reader`, which is its only reader. It pads height and width with
 * zeros (int8: the zero point), within the limits of the window. All nodes must have been
 * checked. */
uint32_t et_xnn_find_pad(et_xnn_uses *uses, const et_xnn_graph *graph,
                         uint32_t reader, et_xnn_layout layout,
                         const et_xnn_node *layer);

/* Folds the pad into `layer`, which then reads the input of the pad. */
void et_xnn_take_pad(const et_xnn_node *pad, et_xnn_layout layout,
                     et_xnn_node *layer);

#endif /* BACKENDS_XNNPACK_RUNTIME_PADS_H_ */
