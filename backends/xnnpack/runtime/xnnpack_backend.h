/* Backend that runs payloads exported for XNNPACK. */
#ifndef BACKENDS_XNNPACK_RUNTIME_XNNPACK_BACKEND_H_
#define BACKENDS_XNNPACK_RUNTIME_XNNPACK_BACKEND_H_

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const et_backend et_xnnpack_backend;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_XNNPACK_RUNTIME_XNNPACK_BACKEND_H_ */
