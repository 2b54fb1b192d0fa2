/* Whether the ops of a handle fit together. */
#ifndef BACKENDS_CPU_RUNTIME_VERIFY_H_
#define BACKENDS_CPU_RUNTIME_VERIFY_H_

#include "backends/cpu/runtime/handle.h"

/* At the maxima of all dims: checks that ops write only to places for output, and
 * over no other tensor of the op; then et_cpu_verify_call. */
et_status et_cpu_verify(et_cpu_handle *handle, et_error *error);

/* At the current sizes: checks that earlier ops write every byte that an op reads
 * and every byte of the outputs, and that each kind accepts its op. Smaller sizes need
 * this again: an op may then write fewer bytes than a later one reads. Calls that change
 * ints alone, such as a position, check the kinds only. */
et_status et_cpu_verify_call(et_cpu_handle *handle, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_VERIFY_H_ */
