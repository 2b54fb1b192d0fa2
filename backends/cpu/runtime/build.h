/* Builds the handle of a payload. */
#ifndef BACKENDS_CPU_RUNTIME_BUILD_H_
#define BACKENDS_CPU_RUNTIME_BUILD_H_

#include "backends/cpu/runtime/handle.h"
#include "executorch/arena.h"
#include "executorch/backend.h"

/* Allocates ET_CPU_HANDLE_BYTES from the arena. *out is NULL if the arena only measures. */
et_status et_cpu_reserve(const et_cpu_payload *payload, et_arena *arena,
                         et_error *error, et_cpu_handle **out);

/* Initializes the memory of et_cpu_reserve() with all dims at their maxima. Checks the location of
 * each value and resolves op types. verify.h checks the ops. */
et_status et_cpu_build(const et_backend_context *context,
                       et_cpu_handle *handle);

#endif /* BACKENDS_CPU_RUNTIME_BUILD_H_ */
