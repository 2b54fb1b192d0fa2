/* A registry of all kernels, the CPU backend and the XNNPACK backend.
 *
 * For programs that are unknown at build time. It links everything; prefer the registry that
 * executorch_cc_library generates if the program is known. */
#ifndef EXECUTORCH_ALL_REGISTRY_H_
#define EXECUTORCH_ALL_REGISTRY_H_

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const et_registry et_all_registry;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_ALL_REGISTRY_H_ */
