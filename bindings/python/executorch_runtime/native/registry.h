/* The registry of kernels and backends for programs that Python opens. */
#ifndef EXECUTORCH_RUNTIME_NATIVE_REGISTRY_H_
#define EXECUTORCH_RUNTIME_NATIVE_REGISTRY_H_

#include "executorch/backend.h"

extern const et_registry et_python_registry;

#endif /* EXECUTORCH_RUNTIME_NATIVE_REGISTRY_H_ */
