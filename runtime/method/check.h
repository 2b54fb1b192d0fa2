/* Checks of values, instructions and calls. */
#ifndef ET_RUNTIME_METHOD_CHECK_H_
#define ET_RUNTIME_METHOD_CHECK_H_

#include "executorch/kernel.h"
#include "executorch/status.h"
#include "runtime/method/builder.h"
#include "runtime/method/walk.h"

/* NOT_SUPPORTED: the program uses a feature of the format that this runtime
 * lacks: dtypes below one byte, unbounded shapes, external data, devices. */
et_status et_check_values(const et_builder *builder);

/* INVALID_PROGRAM: the operands' kinds do not match the instruction, or the
 * signature of `kernel`. `kernel` is NULL if the instruction is not a kernel
 * call. */
et_status et_check_instruction(const et_builder *builder, const et_walk *walk,
                               const et_kernel *kernel);

/* Returns the operator's first row whose rules match the tensors of the call at
 * `walk`.
 *
 * `first` is the operator's first row. The call must match its signature.
 * Returns NULL with INVALID_PROGRAM if no row matches; the message has the
 * instruction, the operator and the argument that the last row rejects. */
const et_kernel *et_choose_kernel(const et_builder *builder,
                                  const et_walk *walk, const et_kernel *first);

/* Checks that no call writes a constant, and that each written operand is
 * written once and does not overlap the other operands. INVALID_PROGRAM: the
 * message has the instruction and the values. */
et_status et_call_check_run(const et_builder *builder);

#endif /* ET_RUNTIME_METHOD_CHECK_H_ */
