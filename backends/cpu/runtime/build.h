/* Builds the handle of a payload. */
#ifndef BACKENDS_CPU_RUNTIME_BUILD_H_
#define BACKENDS_CPU_RUNTIME_BUILD_H_

#include "backends/cpu/runtime/handle.h"
#include "executorch/arena.h"
#include "executorch/backend.h"

/* Takes ET_CPU_HANDLE_BYTES from the arena. *out is NULL if the arena only measures. */
et_status et_cpu_reserve(const et_cpu_payload *payload, et_arena *arena,
                         et_error *error, et_cpu_handle **out);

/* Fills the memory of et_cpu_reserve() with dims at their maxima, and checks the location of
 * each value. Op types are resolved; verify.h checks the ops. */
et_status et_cpu_build(const et_backend_context *context,
                       et_cpu_handle *handle);

#endif /* BACKENDS_CPU_RUNTIME_BUILD_H_ */
