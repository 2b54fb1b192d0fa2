/* Prepares a handle for a call. */
#ifndef BACKENDS_CPU_RUNTIME_CALL_H_
#define BACKENDS_CPU_RUNTIME_CALL_H_

#include "backends/cpu/runtime/handle.h"
#include "executorch/span.h"
#include "executorch/value.h"

/* Checks the arguments, computes all sizes, resizes the outputs, and sets the data pointers of all
 * tensors. Does not write tensor data. */
et_status et_cpu_bind(et_cpu_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error);

#endif /* BACKENDS_CPU_RUNTIME_CALL_H_ */
