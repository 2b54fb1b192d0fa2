#include "runtime/method/check.h"

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/method/operands.h"

typedef struct call_check {
  et_error *error;
  const et_method *method;
  uint32_t instruction;
  /* The written operand that is compared with the others. */
  const et_value *out;
  uint32_t out_count; /* number of times the instruction writes it */
  bool is_written;    /* whether the others are also written, or read */
  uint32_t steps_left;
} call_check;

/* A macro, because a function would be unused in builds with codes. */
#define INDEX_OF(c, value) ((unsigned)((value) - (c)->method->values))

static bool overlap(const et_tensor *a, const et_tensor *b) {
  const uintptr_t a_begin = (uintptr_t)a->data;
  const uintptr_t b_begin = (uintptr_t)b->data;
  return a->data != NULL && b->data != NULL && a->capacity != 0 &&
         b->capacity != 0 && a_begin < b_begin + b->capacity &&
         b_begin < a_begin + a->capacity;
}

/* Checks that another operand does not overlap the output, and that the output
 * is written once. */
static et_status check_against(void *context, et_value *value) {
  call_check *c = context;
  if (c->steps_left-- == 0) {
    return et_fail(
        c->error, ET_STATUS_OUT_OF_RESOURCES,
        "instructions[%u]: the call has too many operands to compare",
        (unsigned)c->instruction);
  }
  if (c->is_written && value == c->out) {
    return c->out_count++ == 0
               ? ET_STATUS_OK
               : et_fail_program(c->error,
                                 "instructions[%u] writes values[%u] twice",
                                 (unsigned)c->instruction, INDEX_OF(c, value));
  }
  return !overlap(value->u.as_tensor, c->out->u.as_tensor)
             ? ET_STATUS_OK
             : et_fail_program(c->error,
                               "instructions[%u] writes values[%u], which "
                               "overlaps its operand values[%u]",
                               (unsigned)c->instruction, INDEX_OF(c, c->out),
                               INDEX_OF(c, value));
}

static et_status check_out(void *context, et_value *out) {
  call_check *c = context;
  const et_instruction *instruction = &c->method->instructions[c->instruction];
  if (out->u.as_tensor->is_constant) {
    return et_fail_program(c->error,
                           "instructions[%u] writes values[%u], which is a "
                           "constant or an external input",
                           (unsigned)c->instruction, INDEX_OF(c, out));
  }
  c->out = out;
  c->out_count = 0;
  c->is_written = false;
  ET_RETURN_IF_ERROR(
      et_operands_visit(instruction, ET_OPERAND_READ, check_against, c));
  c->is_written = true;
  return et_operands_visit(instruction, ET_OPERANDS_WRITTEN, check_against, c);
}

et_status et_call_check_run(const et_builder *builder) {
  call_check c = {.error = builder->error,
                  .method = builder->regions.method,
                  .steps_left = ET_LIMIT_PLAN_STEPS};
  for (uint32_t i = 0; i < c.method->instruction_count; i++) {
    c.instruction = i;
    ET_RETURN_IF_ERROR(et_operands_visit(&c.method->instructions[i],
                                         ET_OPERANDS_WRITTEN, check_out, &c));
  }
  return ET_STATUS_OK;
}
