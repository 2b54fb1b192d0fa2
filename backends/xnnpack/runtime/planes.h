/* A convolution of few channels reads planes as they lie if they were brought channels
 * last for it alone, and zeros that were put around them before are its windows'. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PLANES_H_
#define BACKENDS_XNNPACK_RUNTIME_PLANES_H_

#include "backends/xnnpack/runtime/layer.h"

/* Whether node `index` brings planes channels last, or pads such planes, for a layer
 * that does so itself. */
bool et_xnn_brings_planes(const et_xnn_nodes *n, uint32_t index);

/* Lets a layer, as et_xnn_layer_of gives it, read planes if it may. */
void et_xnn_take_planes(const et_xnn_nodes *n, et_xnn_node *layer);

#endif /* BACKENDS_XNNPACK_RUNTIME_PLANES_H_ */
