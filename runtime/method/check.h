/* Checks of a method that need no memory. */
#ifndef ET_RUNTIME_METHOD_CHECK_H_
#define ET_RUNTIME_METHOD_CHECK_H_

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

/* NOT_SUPPORTED: tensors and buffers that the format has but this runtime does
 * not, such as dtypes without whole bytes, unbounded shapes, external data and
 * devices. */
et_status et_check_values(const et_builder *builder);

/* INVALID_PROGRAM: the operands' kinds do not match the instruction, or the
 * signature of `kernel`. `kernel` is NULL if the instruction is not a kernel
 * call. */
et_status et_check_instruction(const et_builder *builder, const et_walk *walk,
                               const et_kernel *kernel);

#endif /* ET_RUNTIME_METHOD_CHECK_H_ */
