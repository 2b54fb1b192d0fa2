/* CpuBackend runs fused ops in planned scratch memory. PAYLOAD.md specifies its payloads. */
#ifndef BACKENDS_CPU_RUNTIME_CPU_BACKEND_H_
#define BACKENDS_CPU_RUNTIME_CPU_BACKEND_H_

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const et_backend et_cpu_backend;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_RUNTIME_CPU_BACKEND_H_ */
