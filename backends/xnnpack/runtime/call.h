/* A call's arguments. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CALL_H_
#define BACKENDS_XNNPACK_RUNTIME_CALL_H_

#include "backends/xnnpack/runtime/handle.h"

/* Checks the arguments, makes the ops those of their sizes, resizes outputs, and
 * points all tensors to their bytes. */
et_status et_xnn_bind(et_xnn_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error);

/* Widens places that were written as int32 to outputs of int64. */
void et_xnn_finish(const et_xnn_handle *handle, et_value **args);

#endif /* BACKENDS_XNNPACK_RUNTIME_CALL_H_ */
