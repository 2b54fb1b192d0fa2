/* Which layers are strips, and which strips one op: backends/cpu/compiler/choice.py
 * chooses the same. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CHAIN_H_
#define BACKENDS_XNNPACK_RUNTIME_CHAIN_H_

#include "backends/xnnpack/runtime/group.h"

/* Sets parts and node of *out, if node `index` ends a strip that is the last of its
 * step. */
bool et_xnn_chain_of(const et_xnn_nodes *n, uint32_t index, et_xnn_group *out);

/* Whether node `index`, which ends a layer, is computed with a strip that ends
 * behind it. */
bool et_xnn_is_in_chain(const et_xnn_nodes *n, uint32_t index);

#endif /* BACKENDS_XNNPACK_RUNTIME_CHAIN_H_ */
