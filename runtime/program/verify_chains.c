#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

/* The table that an instruction's index refers to, or another kind of field. */
enum {
  OF_VALUES,
  OF_OPERATORS,
  OF_DELEGATES,
  /* May be one past the last instruction, which ends the chain. */
  OF_INSTRUCTIONS,
  ARGS, /* a vector of values */
  NONE,
};

/* The kinds of the first two fields, by instruction tag. */
static const uint8_t rules[][2] = {
    [ET_INSTRUCTION_KERNEL_CALL] = {OF_OPERATORS, ARGS},
    [ET_INSTRUCTION_DELEGATE_CALL] = {OF_DELEGATES, ARGS},
    [ET_INSTRUCTION_MOVE] = {OF_VALUES, OF_VALUES},
    [ET_INSTRUCTION_JUMP_FALSE] = {OF_VALUES, OF_INSTRUCTIONS},
    [ET_INSTRUCTION_FREE] = {OF_VALUES, NONE},
};

/* The chain that is being checked, with its number of instructions. */
typedef struct chain_check {
  const et_plan_check *check;
  uint32_t instructions;
} chain_check;

static uint32_t count_of(const chain_check *at, uint8_t rule) {
  switch (rule) {
    case OF_VALUES:
      return at->check->value_count;
    case OF_INSTRUCTIONS:
      return at->instructions + 1;
    default:
      return et_tables_count(at->check->plan, rule == OF_OPERATORS
                                                  ? ET_PLAN_OPERATORS
                                                  : ET_PLAN_DELEGATES);
  }
}

static et_status check_args(const et_plan_check *check, et_fb_table call,
                            uint16_t field) {
  const et_fb_vector args = et_tables_vector(call, field);
  if (et_fb_count(args) > ET_LIMIT_CALL_ARGS) {
    return et_fail_program(check->error, "%u args exceed the limit of %d",
                           (unsigned)et_fb_count(args), ET_LIMIT_CALL_ARGS);
  }
  for (uint32_t i = 0; i < et_fb_count(args); i++) {
    const int32_t index = et_fb_i32_at(args, i);
    if (index < 0 || (uint32_t)index >= check->value_count) {
      return et_fail_program(
          check->error, "args[%u] = %d is out of range for %u values",
          (unsigned)i, (int)index, (unsigned)check->value_count);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_field(const chain_check *at, et_fb_table args,
                             uint8_t tag, uint16_t field) {
  const uint8_t rule =
      tag < sizeof rules / sizeof *rules ? rules[tag][field] : NONE;
  if (rule == ARGS) {
    return check_args(at->check, args, field);
  }
  if (rule == NONE) {
    return ET_STATUS_OK;
  }
  /* The field is signed; negative values become large. */
  const uint32_t index = et_fb_u32(args, field);
  const uint32_t count = count_of(at, rule);
  if (index < count) {
    return ET_STATUS_OK;
  }
  return et_fail_program(
      at->check->error, "%s %d is out of range for %u elements",
      et_schema_name_in_union(&et_program_schema, ET_UNION_INSTRUCTION, tag,
                              field),
      (int)index, (unsigned)count);
}

/* Unknown tags were rejected with the structure. */
static et_status check_instruction(const chain_check *at,
                                   et_fb_table instruction) {
  const et_fb_table args = et_fb_child(instruction, ET_INSTRUCTION_ARGS);
  const uint8_t tag = et_fb_u8(instruction, ET_INSTRUCTION_TAG);
  ET_RETURN_IF_ERROR(check_field(at, args, tag, 0));
  return check_field(at, args, tag, 1);
}

static et_status check_chain(const et_plan_check *check, uint32_t index,
                             et_fb_vector instructions) {
  const uint32_t count = et_fb_count(instructions);
  const chain_check at = {check, count};
  for (uint32_t i = 0; i < count; i++) {
    const et_fb_table instruction = et_fb_child_at(instructions, i);
    const et_status status = check_instruction(&at, instruction);
    if (status != ET_STATUS_OK) {
      return et_fail_within(check->error, status,
                            "chains[%u].instructions[%u]: ", (unsigned)index,
                            (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

et_status et_verify_chains(const et_plan_check *check) {
  const et_fb_vector chains = et_tables_vector(check->plan, ET_PLAN_CHAINS);
  /* No overflow: at most 2^20 plus one vector in 2^31 bytes. */
  uint32_t total = 0;
  for (uint32_t i = 0; i < et_fb_count(chains); i++) {
    const et_fb_table chain = et_fb_child_at(chains, i);
    const et_fb_vector instructions =
        et_tables_vector(chain, ET_CHAIN_INSTRUCTIONS);
    total += et_fb_count(instructions);
    if (total > ET_LIMIT_INSTRUCTIONS) {
      return et_fail_program(check->error,
                             "chains: the instructions exceed the limit of %u",
                             ET_LIMIT_INSTRUCTIONS);
    }
    ET_RETURN_IF_ERROR(check_chain(check, i, instructions));
  }
  return ET_STATUS_OK;
}
