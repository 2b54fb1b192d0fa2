#include "runtime/method/operands.h"

#include <string.h>

#include "runtime/method/signature.h"
#include "runtime/program/schema.h"

bool et_kernel_is_view(const et_kernel *kernel) {
  return strcmp(kernel->name, "executorch_prim::et_view.default") == 0;
}

/* Tensors in one argument: itself, or its items. */
static et_status visit_value(et_value *value, et_operand_fn visit,
                             void *context) {
  if (value->tag == ET_VALUE_TENSOR) {
    return visit(context, value);
  }
  if (value->tag != ET_VALUE_TENSOR_LIST &&
      value->tag != ET_VALUE_OPTIONAL_TENSOR_LIST) {
    return ET_STATUS_OK;
  }
  for (size_t i = 0; i < value->u.as_list.size; i++) {
    if (value->u.as_list.items[i] != NULL) {
      ET_RETURN_IF_ERROR(visit(context, value->u.as_list.items[i]));
    }
  }
  return ET_STATUS_OK;
}

static et_operand_role role_of(char code) {
  switch (code) {
    case 'w':
    case 'W':
      return ET_OPERAND_WRITTEN;
    case 'm':
      return ET_OPERAND_UPDATED;
    default:
      return ET_OPERAND_READ;
  }
}

/* Return values repeat what was written; where nothing was, the call leaves them
 * itself. */
static et_status visit_kernel(const et_instruction *call, unsigned roles,
                              et_operand_fn visit, void *context) {
  et_signature_cursor cursor = {call->u.kernel->signature, false};
  et_parameter parameter;
  bool has_out = false;
  for (size_t i = 0; et_signature_next(&cursor, &parameter); i++) {
    const et_operand_role role = role_of(parameter.code);
    const bool repeats = parameter.is_return && has_out;
    has_out = has_out || role != ET_OPERAND_READ;
    if ((role & roles) != 0 && !repeats) {
      ET_RETURN_IF_ERROR(visit_value(call->args[i], visit, context));
    }
  }
  return ET_STATUS_OK;
}

/* Its last output_count arguments are written, the updated_count before updated. */
static et_operand_role delegate_role(const et_instruction *call, size_t index) {
  const size_t first_out = (size_t)call->arg_count - call->output_count;
  if (index >= first_out) {
    return ET_OPERAND_WRITTEN;
  }
  return index + call->updated_count >= first_out ? ET_OPERAND_UPDATED
                                                  : ET_OPERAND_READ;
}

static et_status visit_delegate(const et_instruction *call, unsigned roles,
                                et_operand_fn visit, void *context) {
  for (size_t i = 0; i < call->arg_count; i++) {
    if ((delegate_role(call, i) & roles) != 0) {
      ET_RETURN_IF_ERROR(visit_value(call->args[i], visit, context));
    }
  }
  return ET_STATUS_OK;
}

static et_status visit_move(const et_instruction *move, unsigned roles,
                            et_operand_fn visit, void *context) {
  if ((roles & ET_OPERAND_READ) != 0) {
    ET_RETURN_IF_ERROR(visit_value(move->args[0], visit, context));
  }
  return (roles & ET_OPERAND_WRITTEN) != 0
             ? visit_value(move->args[1], visit, context)
             : ET_STATUS_OK;
}

et_status et_operands_visit(const et_instruction *instruction, unsigned roles,
                            et_operand_fn visit, void *context) {
  switch (instruction->tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      /* The `w` that a view returns is no out: it writes nothing. */
      return visit_kernel(
          instruction,
          instruction->is_view ? roles & ~(unsigned)ET_OPERAND_WRITTEN : roles,
          visit, context);
    case ET_INSTRUCTION_DELEGATE_CALL:
      return visit_delegate(instruction, roles, visit, context);
    case ET_INSTRUCTION_MOVE:
      return visit_move(instruction, roles, visit, context);
    case ET_INSTRUCTION_JUMP_FALSE:
      return (roles & ET_OPERAND_READ) != 0
                 ? visit_value(instruction->args[0], visit, context)
                 : ET_STATUS_OK;
    default:
      return ET_STATUS_OK;
  }
}
