#include "runtime/method/views.h"

#include <stddef.h>

#include "runtime/core/reason.h"
#include "runtime/method/operands.h"

/* A static tensor keeps its sizes: without an address nothing reads it. */
static void empty(et_tensor *tensor) {
  const int32_t none[ET_MAX_RANK] = {0};
  tensor->data = NULL;
  if (tensor->dynamism != ET_SHAPE_STATIC) {
    et_tensor_resize(tensor, none, tensor->rank, NULL);
  }
}

void et_views_reset(const et_method *method) {
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    const et_instruction *instruction = &method->instructions[i];
    if (instruction->binds_out) {
      empty(instruction->args[2]->u.as_tensor);
    }
  }
}

typedef struct reading {
  const et_method *method;
  uint32_t instruction;
  et_error *error;
} reading;

/* In a run only the out of a view that was not run has no address. */
static et_status check_viewed(void *context, et_value *value) {
  const reading *r = context;
  if (value->u.as_tensor->data == NULL) {
    return et_fail_program(
        r->error, "instructions[%u] reads values[%u], whose view was not run",
        (unsigned)r->instruction, (unsigned)(value - r->method->values));
  }
  return ET_STATUS_OK;
}

et_status et_views_enter(const et_method *method, uint32_t index,
                         et_error *error) {
  const et_instruction *instruction = &method->instructions[index];
  reading r = {method, index, error};
  ET_RETURN_IF_ERROR(
      et_operands_visit(instruction, ET_OPERANDS_READ, check_viewed, &r));
  if (instruction->binds_out) {
    const et_tensor *base = instruction->args[0]->u.as_tensor;
    et_tensor *out = instruction->args[2]->u.as_tensor;
    out->data = base->data;
    out->capacity = et_tensor_nbytes(base);
  }
  return ET_STATUS_OK;
}

et_status et_views_check_outputs(const et_method *method, et_error *error) {
  for (uint32_t i = 0; i < method->output_count; i++) {
    const et_value *value = method->outputs[i].value;
    if (value->tag == ET_VALUE_TENSOR && value->u.as_tensor->data == NULL) {
      return et_fail_program(error, "outputs[%u]: its view was not run",
                             (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}
