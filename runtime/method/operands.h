/* What the instructions of a built method read and write. */
#ifndef ET_RUNTIME_METHOD_OPERANDS_H_
#define ET_RUNTIME_METHOD_OPERANDS_H_

#include <stdbool.h>

#include "executorch/status.h"
#include "executorch/value.h"
#include "runtime/method/layout.h"

/* Gets one operand; any status but OK ends the visit and is its result. */
typedef et_status (*et_operand_fn)(void *context, et_value *tensor);

/* Visits the tensors that an instruction reads, or those it writes: arguments
 * and the items of lists. Kernels read and write what their signature says,
 * delegates write their last output_count arguments, moves write their second.
 * An in-place operator's `w` counts as written only, and an et_view writes
 * nothing. */
et_status et_operands_visit(const et_instruction *instruction, bool written,
                            et_operand_fn visit, void *context);

/* Whether it calls executorch_prim::et_view.default, whose out is its first
 * operand in another shape. */
bool et_instruction_is_view(const et_instruction *instruction);

#endif /* ET_RUNTIME_METHOD_OPERANDS_H_ */
