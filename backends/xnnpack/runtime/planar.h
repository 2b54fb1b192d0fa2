/* Planar input of convolutions with few input channels. If a convolution is the only reader of a
 * transpose to NHWC, the transpose is dropped. Zero padding before the transpose is folded into the
 * window. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PLANAR_H_
#define BACKENDS_XNNPACK_RUNTIME_PLANAR_H_

#include "backends/xnnpack/runtime/layer.h"

/* Returns whether node `index`, a transpose to NHWC or a pad before it, is part of a layer that
 * reads planar input. */
bool et_xnn_permutes_planar(const et_xnn_nodes *n, uint32_t index);

/* Makes a layer from et_xnn_layer_of() read planar input, if possible. */
void et_xnn_read_planar(const et_xnn_nodes *n, et_xnn_node *layer);

#endif /* BACKENDS_XNNPACK_RUNTIME_PLANAR_H_ */
