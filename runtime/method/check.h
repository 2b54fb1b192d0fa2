/* What can be checked of a method before it has memory. */
#ifndef ET_RUNTIME_METHOD_CHECK_H_
#define ET_RUNTIME_METHOD_CHECK_H_

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

/* NOT_SUPPORTED for tensors and buffers that the format allows and this runtime
 * has not: dtypes without whole bytes, unbounded shapes, external data,
 * devices. */
et_status et_check_values(const et_builder *builder);

/* INVALID_PROGRAM when the operands do not have the kinds that the instruction,
 * or the signature of `kernel` (NULL when it is no kernel call), asks for. */
et_status et_check_instruction(const et_builder *builder, const et_walk *walk,
                               const et_kernel *kernel);

#endif /* ET_RUNTIME_METHOD_CHECK_H_ */
