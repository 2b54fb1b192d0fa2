/* Verifies the ops of a handle. */
#ifndef BACKENDS_CPU_RUNTIME_VERIFY_H_
#define BACKENDS_CPU_RUNTIME_VERIFY_H_

#include "backends/cpu/runtime/handle.h"

/* Verifies the ops with all dims at their maxima. Ops must write only to scratch, outputs and
 * states, and must not overwrite their other tensors. Then calls et_cpu_verify_call(). */
et_status et_cpu_verify(et_cpu_handle *handle, et_error *error);

/* Verifies the ops at the current sizes. Every byte that an op reads, and every byte of the
 * outputs, must have been written, and each op type must accept its op. This is repeated when sizes
 * change, because an op may then write fewer bytes than a later op reads. If only an int argument
 * changes, only the op types' checks are repeated. */
et_status et_cpu_verify_call(et_cpu_handle *handle, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_VERIFY_H_ */
