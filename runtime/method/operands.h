/* The operands that instructions of a built method read and write. */
#ifndef ET_RUNTIME_METHOD_OPERANDS_H_
#define ET_RUNTIME_METHOD_OPERANDS_H_

#include <stdbool.h>

#include "executorch/method_layout.h"
#include "executorch/status.h"
#include "executorch/value.h"

/* Receives one operand. A status other than OK stops the visit and is
 * returned. */
typedef et_status (*et_operand_fn)(void *context, et_value *tensor);

/* How an instruction uses an operand. */
typedef enum et_operand_role {
  ET_OPERAND_READ = 1,
  ET_OPERAND_WRITTEN = 2, /* completely overwritten */
  ET_OPERAND_UPDATED = 4, /* read, then partly written: `m` in signatures */
} et_operand_role;

/* Sets of roles. */
#define ET_OPERANDS_READ (ET_OPERAND_READ | ET_OPERAND_UPDATED)
#define ET_OPERANDS_WRITTEN (ET_OPERAND_WRITTEN | ET_OPERAND_UPDATED)

/* Visits the tensors of an instruction that have one of `roles`, including list
 * items.
 *
 * The signature determines the roles of a kernel's arguments. A delegate writes
 * its last output_count arguments and updates the updated_count before them. A
 * move writes its second argument. An et_view writes nothing. */
et_status et_operands_visit(const et_instruction *instruction, unsigned roles,
                            et_operand_fn visit, void *context);

/* Returns true for executorch_prim::et_view.default, whose out is its first
 * operand with other sizes. */
bool et_kernel_is_view(const et_kernel *kernel);

#endif /* ET_RUNTIME_METHOD_OPERANDS_H_ */
