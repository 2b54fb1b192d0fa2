/* Zeros around a picture that a convolution alone reads are part of its windows: such
 * a pad has no op, and makes no picture of its own. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PADS_H_
#define BACKENDS_XNNPACK_RUNTIME_PADS_H_

#include "backends/xnnpack/runtime/uses.h"

/* How a picture lies: which of its four dims is the height, behind which stands the
 * width. */
typedef enum et_xnn_layout {
  ET_XNN_PICTURE = 1, /* [B, H, W, C] */
  ET_XNN_PLANES = 2   /* [B, C, H, W] */
} et_xnn_layout;

/* The pad that makes what node `reader` reads, for it alone, and does nothing but put
 * zeros around pictures, of bytes the zero point, which windows of `layer` may have in
 * its place; ET_XNN_NO_NODE when there is none. All nodes must have been checked. */
uint32_t et_xnn_find_pad(et_xnn_uses *uses, const et_xnn_graph *graph,
                         uint32_t reader, et_xnn_layout layout,
                         const et_xnn_node *layer);

/* Lets `layer` read what that pad reads, with zeros around it. */
void et_xnn_take_pad(const et_xnn_node *pad, et_xnn_layout layout,
                     et_xnn_node *layer);

#endif /* BACKENDS_XNNPACK_RUNTIME_PADS_H_ */
