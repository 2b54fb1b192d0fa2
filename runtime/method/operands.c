#include "runtime/method/operands.h"

#include <string.h>

#include "runtime/method/signature.h"
#include "runtime/program/schema.h"

bool et_instruction_is_view(const et_instruction *instruction) {
  return instruction->tag == ET_INSTRUCTION_KERNEL_CALL &&
         strcmp(instruction->u.kernel->name,
                "executorch_prim::et_view.default") == 0;
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

static et_status visit_kernel(const et_instruction *call, bool written,
                              et_operand_fn visit, void *context) {
  et_signature_cursor cursor = {call->u.kernel->signature, false};
  et_parameter parameter;
  bool has_out = false;
  for (size_t i = 0; et_signature_next(&cursor, &parameter); i++) {
    const bool writes = parameter.code == 'w' || parameter.code == 'W';
    const bool repeats = parameter.is_return && has_out;
    has_out = has_out || writes;
    if (writes == written && !repeats) {
      ET_RETURN_IF_ERROR(visit_value(call->args[i], visit, context));
    }
  }
  return ET_STATUS_OK;
}

static et_status visit_range(const et_instruction *call, size_t first,
                             size_t end, et_operand_fn visit, void *context) {
  for (size_t i = first; i < end; i++) {
    ET_RETURN_IF_ERROR(visit_value(call->args[i], visit, context));
  }
  return ET_STATUS_OK;
}

et_status et_operands_visit(const et_instruction *instruction, bool written,
                            et_operand_fn visit, void *context) {
  const size_t count = instruction->arg_count;
  const size_t split = count - instruction->output_count;
  switch (instruction->tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      if (written && et_instruction_is_view(instruction)) {
        return ET_STATUS_OK;
      }
      return visit_kernel(instruction, written, visit, context);
    case ET_INSTRUCTION_DELEGATE_CALL:
      return visit_range(instruction, written ? split : 0,
                         written ? count : split, visit, context);
    case ET_INSTRUCTION_MOVE:
      return visit_value(instruction->args[written ? 1 : 0], visit, context);
    case ET_INSTRUCTION_JUMP_FALSE:
      return written ? ET_STATUS_OK
                     : visit_value(instruction->args[0], visit, context);
    default:
      return ET_STATUS_OK;
  }
}
