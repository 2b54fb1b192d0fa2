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

/* An instruction and its arguments up to one of them. */
typedef struct operands {
  const et_instruction *instruction;
  et_parameter parameter; /* of a kernel call */
  bool has_out;           /* it has, until now */
} operands;

/* That of the next argument of a kernel call. Return values repeat what was written: they
 * have none; where nothing was, the call leaves them itself. The `w` that a view returns is
 * no out: it writes nothing. */
static unsigned kernel_role(operands *o) {
  const et_parameter *parameter = &o->parameter;
  et_signature_next(&o->parameter);
  const bool repeats = parameter->is_return && o->has_out;
  unsigned role = ET_OPERAND_READ;
  if (et_parameter_is_out(parameter)) {
    role = ET_OPERAND_WRITTEN;
  } else if (parameter->code == 'm') {
    role = ET_OPERAND_UPDATED;
  }
  o->has_out = o->has_out || role != ET_OPERAND_READ;
  return repeats || (role == ET_OPERAND_WRITTEN && o->instruction->is_view)
             ? 0
             : role;
}

/* That of argument `index` of anything else: its last output_count arguments are written,
 * the updated_count before updated. */
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
  operands o = {.instruction = instruction};
  if (calls_kernel) {
    o.parameter.next = instruction->u.kernel->signature;
  }
  for (size_t i = 0; i < instruction->arg_count; i++) {
    const unsigned role =
        calls_kernel ? kernel_role(&o) : other_role(instruction, i);
    if ((role & roles) != 0) {
      ET_RETURN_IF_ERROR(visit_value(instruction->args[i], visit, context));
    }
  }
  return ET_STATUS_OK;
}
