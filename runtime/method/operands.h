/* What the instructions of a built method read and write. */
#ifndef ET_RUNTIME_METHOD_OPERANDS_H_
#define ET_RUNTIME_METHOD_OPERANDS_H_

#include <stdbool.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "executorch/value.h"

/* Gets one operand; any status but OK ends the visit and is its result. */
typedef et_status (*et_operand_fn)(void *context, et_value *tensor);

/* What an instruction does with an operand. */
typedef enum et_operand_role {
  ET_OPERAND_READ = 1,
  ET_OPERAND_WRITTEN = 2, /* whole, whatever was there */
  ET_OPERAND_UPDATED = 4, /* read, then written in part: `m` of a signature */
} et_operand_role;

/* Sets of roles. */
#define ET_OPERANDS_READ (ET_OPERAND_READ | ET_OPERAND_UPDATED)
#define ET_OPERANDS_WRITTEN (ET_OPERAND_WRITTEN | ET_OPERAND_UPDATED)

/* Visits the tensors that have one of `roles` in an instruction: arguments and
 * the items of lists. Kernels read and write what their signature says,
 * delegates write their last output_count arguments and update the updated_count
 * before, moves write their second.
 * An et_view writes nothing. */
et_status et_operands_visit(const et_instruction *instruction, unsigned roles,
                            et_operand_fn visit, void *context);

/* Whether it is executorch_prim::et_view.default, whose out is its first operand in
 * another shape. */
bool et_kernel_is_view(const et_kernel *kernel);

#endif /* ET_RUNTIME_METHOD_OPERANDS_H_ */
