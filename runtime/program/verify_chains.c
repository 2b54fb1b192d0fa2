#include "runtime/core/limits.h"
#include "runtime/core/reason.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

/* An instruction being checked. */
typedef struct place {
  const et_plan_check *check;
  uint32_t instruction_count; /* of its chain */
  et_error *error; /* for messages that say where in the instruction */
} place;

static et_status check_index(const place *at, const char *name, int32_t index,
                             uint32_t count) {
  if (index < 0 || (uint32_t)index >= count) {
    return et_fail_program(at->error, "%s %d is not one of %u", name,
                           (int)index, (unsigned)count);
  }
  return ET_STATUS_OK;
}

static et_status check_args(const place *at, const et_fb_table *call,
                            uint16_t field) {
  const et_fb_vector args = et_tables_vector(call, field);
  if (args.count > ET_LIMIT_CALL_ARGS) {
    return et_fail_program(at->error, "%u args, more than the limit of %d",
                           (unsigned)args.count, ET_LIMIT_CALL_ARGS);
  }
  for (uint32_t i = 0; i < args.count; i++) {
    const int32_t index = et_fb_i32_at(&args, i);
    if (index < 0 || (uint32_t)index >= at->check->values.count) {
      return et_fail_program(at->error, "args[%u] = %d: there are %u values",
                             (unsigned)i, (int)index,
                             (unsigned)at->check->values.count);
    }
  }
  return ET_STATUS_OK;
}

/* A kernel or delegate call: `index_field` says which of the plan's `field`. */
static et_status check_call(const place *at, const et_fb_table *call,
                            uint16_t index_field, uint16_t args_field,
                            const char *name, uint16_t field) {
  const et_fb_vector callees = et_tables_vector(&at->check->plan, field);
  ET_RETURN_IF_ERROR(
      check_index(at, name, et_fb_i32(call, index_field), callees.count));
  return check_args(at, call, args_field);
}

static et_status check_jump(const place *at, const et_fb_table *jump) {
  ET_RETURN_IF_ERROR(check_index(at, "cond_value_index",
                                 et_fb_i32(jump, ET_JUMP_CONDITION),
                                 at->check->values.count));
  /* One past the last instruction ends the chain. */
  return check_index(at, "destination_instruction",
                     et_fb_i32(jump, ET_JUMP_DESTINATION),
                     at->instruction_count + 1);
}

static et_status check_move(const place *at, const et_fb_table *move) {
  const uint32_t count = at->check->values.count;
  ET_RETURN_IF_ERROR(
      check_index(at, "move_from", et_fb_i32(move, ET_MOVE_FROM), count));
  return check_index(at, "move_to", et_fb_i32(move, ET_MOVE_TO), count);
}

static et_status check_instruction(const place *at,
                                   const et_fb_table *instruction) {
  const et_fb_table args = et_fb_child(instruction, ET_INSTRUCTION_ARGS);
  switch (et_fb_u8(instruction, ET_INSTRUCTION_TAG)) {
    case ET_INSTRUCTION_KERNEL_CALL:
      return check_call(at, &args, ET_KERNEL_CALL_OPERATOR, ET_KERNEL_CALL_ARGS,
                        "op_index", ET_PLAN_OPERATORS);
    case ET_INSTRUCTION_DELEGATE_CALL:
      return check_call(at, &args, ET_DELEGATE_CALL_DELEGATE,
                        ET_DELEGATE_CALL_ARGS, "delegate_index",
                        ET_PLAN_DELEGATES);
    case ET_INSTRUCTION_MOVE:
      return check_move(at, &args);
    case ET_INSTRUCTION_JUMP_FALSE:
      return check_jump(at, &args);
    default: /* Free: the walk over the structure refuses unknown tags. */
      return check_index(at, "value_index", et_fb_i32(&args, ET_FREE_VALUE),
                         at->check->values.count);
  }
}

static et_status check_chain(const et_plan_check *check, uint32_t index,
                             const et_fb_vector *instructions) {
  et_error reason;
  const place at = {check, instructions->count, &reason};
  et_error_clear(&reason);
  for (uint32_t i = 0; i < instructions->count; i++) {
    const et_fb_table instruction = et_fb_child_at(instructions, i);
    const et_status status = check_instruction(&at, &instruction);
    if (status != ET_STATUS_OK) {
      return et_fail_because(check->error, status, &reason,
                             "chains[%u].instructions[%u]: ", (unsigned)index,
                             (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

et_status et_verify_chains(const et_plan_check *check) {
  const et_fb_vector chains = et_tables_vector(&check->plan, ET_PLAN_CHAINS);
  uint32_t total = 0; /* cannot wrap: 2^20, and a vector in 2^31 bytes */
  for (uint32_t i = 0; i < chains.count; i++) {
    const et_fb_table chain = et_fb_child_at(&chains, i);
    const et_fb_vector instructions =
        et_tables_vector(&chain, ET_CHAIN_INSTRUCTIONS);
    total += instructions.count;
    if (total > ET_LIMIT_INSTRUCTIONS) {
      return et_fail_program(check->error,
                             "chains: more instructions than the limit of %u",
                             ET_LIMIT_INSTRUCTIONS);
    }
    ET_RETURN_IF_ERROR(check_chain(check, i, &instructions));
  }
  return ET_STATUS_OK;
}
