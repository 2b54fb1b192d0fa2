#include "executorch/method_layout.h"
#include "runtime/method/ends.h"
#include "runtime/method/operands.h"
#include "runtime/program/schema.h"

static et_status fail_if_same(void *context, et_value *value) {
  return value == context ? ET_STATUS_INVALID_STATE : ET_STATUS_OK;
}

static bool has_operand(const et_instruction *instruction, unsigned roles,
                        et_value *value) {
  return et_operands_visit(instruction, roles, fail_if_same, value) !=
         ET_STATUS_OK;
}

/* Returns true if every run writes the whole value before an instruction reads
 * it. A jump may skip instructions before its target, so a write there does not
 * count. */
static bool is_always_written(const et_method *method, et_value *value) {
  uint32_t reach = 0; /* highest jump target so far */
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    const et_instruction *instruction = &method->instructions[i];
    if (has_operand(instruction, ET_OPERANDS_READ, value)) {
      return false;
    }
    if (i >= reach && has_operand(instruction, ET_OPERAND_WRITTEN, value)) {
      return true;
    }
    if (instruction->tag == ET_INSTRUCTION_JUMP_FALSE &&
        instruction->u.target > reach) {
      reach = instruction->u.target;
    }
  }
  return false;
}

et_status et_method_set_output(et_method *method, size_t index, void *data,
                               size_t nbytes, et_error *out_error) {
  ET_RETURN_IF_ERROR(
      et_check_end("outputs", index, method->output_count, out_error));
  et_end *output = &method->outputs[index];
  if (!output->is_lent) {
    return et_fail(
        out_error, ET_STATUS_INVALID_STATE,
        "outputs[%zu] is in planned memory; read it with et_method_get_output",
        index);
  }
  et_tensor *tensor = output->value->u.as_tensor;
  const size_t size = et_scalar_type_size((int32_t)tensor->dtype);
  if (nbytes < tensor->capacity || (nbytes != 0 && data == NULL) ||
      ((uintptr_t)data & (size - 1)) != 0) {
    return et_fail(out_error, ET_STATUS_INVALID_ARGUMENT,
                   "outputs[%zu] needs %zu bytes that are aligned to %zu",
                   index, tensor->capacity, size);
  }
  if (tensor->capacity != 0) {
    tensor->data = data;
  }
  if (!output->is_set) {
    output->is_cleared =
        tensor->capacity != 0 && !is_always_written(method, output->value);
  }
  output->is_set = true;
  method->has_outputs = false;
  return ET_STATUS_OK;
}
