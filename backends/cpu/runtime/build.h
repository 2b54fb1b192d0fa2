/* Making a handle of a payload. */
#ifndef BACKENDS_CPU_RUNTIME_BUILD_H_
#define BACKENDS_CPU_RUNTIME_BUILD_H_

#include "backends/cpu/runtime/handle.h"
#include "executorch/arena.h"
#include "executorch/backend.h"

/* Takes ET_CPU_HANDLE_BYTES of the arena. *out is NULL when it only measures. */
et_status et_cpu_reserve(const et_cpu_payload *payload, et_arena *arena,
                         et_error *error, et_cpu_handle **out);

/* Fills what et_cpu_reserve took, with dims at their maxima, and checks where values
 * lie. Ops have their kinds; how they fit together is for verify.h. */
et_status et_cpu_build(const et_backend_context *context,
                       et_cpu_handle *handle);

#endif /* BACKENDS_CPU_RUNTIME_BUILD_H_ */
