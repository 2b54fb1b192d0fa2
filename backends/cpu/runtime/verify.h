/* Whether the steps of a handle fit together. */
#ifndef BACKENDS_CPU_RUNTIME_VERIFY_H_
#define BACKENDS_CPU_RUNTIME_VERIFY_H_

#include "backends/cpu/runtime/handle.h"

/* At the maxima of all dims: what steps write may be written and overlaps nothing
 * else of theirs, what they read and all outputs are written before, and every kind
 * takes its steps. */
et_status et_cpu_verify(const et_cpu_handle *handle, et_error *error);

/* Asks every step's kind whether it takes the current sizes. */
et_status et_cpu_check_steps(const et_cpu_handle *handle, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_VERIFY_H_ */
