#include "runtime/method/operands.h"

#include <string.h>

#include "runtime/method/signature.h"
#include "runtime/program/schema.h"

bool et_kernel_is_view(const et_kernel *kernel) {
  return strcmp(kernel->name, "executorch_prim::et_view.default") == 0;
}

/* Visits the tensors of one argument: the tensor itself, or the items of a
 * list. */
static et_status visit_value(et_value *value, et_operand_fn visit,
                             void *context) {
  et_value *const *items = &value;
  size_t count = 1;
  if (value->tag == ET_VALUE_TENSOR_LIST ||
      value->tag == ET_VALUE_OPTIONAL_TENSOR_LIST) {
    items = value->u.as_list.items;
    count = value->u.as_list.size;
  } else if (value->tag != ET_VALUE_TENSOR) {
    return ET_STATUS_OK;
  }
  for (size_t i = 0; i < count; i++) {
    if (items[i] != NULL) {
      ET_RETURN_IF_ERROR(visit(context, items[i]));
    }
  }
  return ET_STATUS_OK;
}

/* Returns the role of a parameter, based only on its signature. */
static unsigned own_role(const et_parameter *parameter) {
  if (et_parameter_is_out(parameter)) {
    return ET_OPERAND_WRITTEN;
  }
  return parameter->code == 'm' ? ET_OPERAND_UPDATED : ET_OPERAND_READ;
}

/* Advances to the next argument of a kernel call, and returns its role.
 * *earlier_roles has the roles of the arguments before it.
 *
 * Return values that repeat written arguments have no role. If nothing was
 * written, the call writes the return value itself. A view writes nothing, so
 * its returned `w` has no role either. */
static unsigned kernel_role(et_parameter *parameter, bool is_view,
                            unsigned *earlier_roles) {
  et_signature_next(parameter);
  const unsigned role = own_role(parameter);
  const bool repeats =
      parameter->is_return && (*earlier_roles & ET_OPERANDS_WRITTEN) != 0;
  *earlier_roles |= role;
  return repeats || (is_view && role == ET_OPERAND_WRITTEN) ? 0 : role;
}

/* Returns the role of argument `index` of a move, jump or delegate call: the
 * last output_count arguments are written, the updated_count before them
 * updated. */
static unsigned other_role(const et_instruction *instruction, size_t index) {
  const size_t first_out =
      (size_t)instruction->arg_count - instruction->output_count;
  if (index >= first_out) {
    return ET_OPERAND_WRITTEN;
  }
  return index + instruction->updated_count >= first_out ? ET_OPERAND_UPDATED
                                                         : ET_OPERAND_READ;
}

et_status et_operands_visit(const et_instruction *instruction, unsigned roles,
                            et_operand_fn visit, void *context) {
  const bool calls_kernel = instruction->tag == ET_INSTRUCTION_KERNEL_CALL;
  et_parameter parameter = {
      .next = calls_kernel ? instruction->u.kernel->signature : NULL};
  unsigned earlier_roles = 0;
  for (size_t i = 0; i < instruction->arg_count; i++) {
    const unsigned role =
        calls_kernel
            ? kernel_role(&parameter, instruction->is_view, &earlier_roles)
            : other_role(instruction, i);
    if ((role & roles) != 0) {
      ET_RETURN_IF_ERROR(visit_value(instruction->args[i], visit, context));
    }
  }
  return ET_STATUS_OK;
}
