/* The runtime side of the demo backend: interprets its payload. */
#ifndef BACKENDS_DEMO_COMPILER_DEMO_H_
#define BACKENDS_DEMO_COMPILER_DEMO_H_

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One implementation under the names of ExecuTorch's two demo backends. */
extern const et_backend et_compiler_demo_backend;
extern const et_backend et_mapping_demo_backend;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_DEMO_COMPILER_DEMO_H_ */
