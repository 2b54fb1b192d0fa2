/* The runtime side of BackendWithCompilerDemo: interprets its payload. */
#ifndef BACKENDS_DEMO_COMPILER_DEMO_H_
#define BACKENDS_DEMO_COMPILER_DEMO_H_

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const et_backend et_compiler_demo_backend;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_DEMO_COMPILER_DEMO_H_ */
