/* Prepares a handle for a call. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CALL_H_
#define BACKENDS_XNNPACK_RUNTIME_CALL_H_

#include "backends/xnnpack/runtime/handle.h"

/* Checks the arguments, updates the ops to the sizes of the inputs, resizes the outputs, and
 * sets the data pointers of all tensors. */
et_status et_xnn_bind(et_xnn_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error);

/* Widens int32 results in place to int64 outputs. */
void et_xnn_finish(const et_xnn_handle *handle, et_value **args);

#endif /* BACKENDS_XNNPACK_RUNTIME_CALL_H_ */
