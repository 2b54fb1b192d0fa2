/* The runtime side of BackendWithDelegateMappingDemo: runs its payload, and
 * reports each step under its delegate debug identifier. */
#ifndef BACKENDS_MAPPING_DEMO_MAPPING_DEMO_H_
#define BACKENDS_MAPPING_DEMO_MAPPING_DEMO_H_

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const et_backend et_mapping_demo_backend;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_MAPPING_DEMO_MAPPING_DEMO_H_ */
