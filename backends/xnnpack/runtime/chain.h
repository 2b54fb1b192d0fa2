/* Selects the layers that are computed as inverted residuals by row tiling, and the chains of
 * inverted residuals that become one mbconv_f32 op. The CPU backend's compiler makes the same
 * choices: backends/cpu/compiler/choice.py. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CHAIN_H_
#define BACKENDS_XNNPACK_RUNTIME_CHAIN_H_

#include "backends/xnnpack/runtime/group.h"

/* Returns true if node `index` is the project layer of the last block of a chain. Sets the parts
 * and the node of *out. */
bool et_xnn_chain_of(const et_xnn_nodes *n, uint32_t index, et_xnn_group *out);

/* Returns true if the layer that ends with node `index` is computed by a chain that ends at a later
 * node. */
bool et_xnn_is_in_chain(const et_xnn_nodes *n, uint32_t index);

#endif /* BACKENDS_XNNPACK_RUNTIME_CHAIN_H_ */
