#include "runtime/method/optional_parts.h"

#include <string.h>

#include "runtime/core/error.h"
#include "runtime/method/operands.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

static uint8_t tag_at(const et_builder *builder, int32_t index) {
  et_fb_table held;
  return et_tables_value(builder->values, (uint32_t)index, &held);
}

static et_status fail_instruction(const et_builder *builder,
                                  const et_walk *walk, const char *reason) {
  return et_fail_program(builder->error, "instructions[%u]: %s",
                         (unsigned)walk->index, reason);
}

static et_status record_at(const et_builder *builder, int32_t index,
                           et_tensor_record *out_record) {
  et_fb_table held;
  et_tables_value(builder->values, (uint32_t)index, &held);
  return et_tensor_record_read(held, out_record, builder->error);
}

/* A move copies bytes, so both tensors must have the same layout. */
static et_status check_tensor_move(const et_builder *builder,
                                   const et_walk *walk, int32_t from,
                                   int32_t to) {
  et_tensor_record a;
  et_tensor_record b;
  ET_RETURN_IF_ERROR(record_at(builder, from, &a));
  ET_RETURN_IF_ERROR(record_at(builder, to, &b));
  if (a.dtype != b.dtype || a.rank != b.rank ||
      (a.rank != 0 && memcmp(a.dim_order, b.dim_order, a.rank) != 0)) {
    return fail_instruction(
        builder, walk,
        "the source and target of a move differ in dtype, rank or dim order");
  }
  return ET_STATUS_OK;
}

static et_status check_move(const et_builder *builder, const et_walk *walk) {
  const int32_t from = et_fb_i32(walk->args, ET_MOVE_FROM);
  const int32_t to = et_fb_i32(walk->args, ET_MOVE_TO);
  const uint8_t tag = tag_at(builder, from);
  if (tag != tag_at(builder, to)) {
    return fail_instruction(builder, walk,
                            "the source and target of a move differ in type");
  }
  if (tag == ET_VALUE_TENSOR) {
    return check_tensor_move(builder, walk, from, to);
  }
  if (tag != ET_VALUE_INT && tag != ET_VALUE_BOOL && tag != ET_VALUE_DOUBLE) {
    return fail_instruction(builder, walk,
                            "the source of a move is not a tensor or a scalar");
  }
  return ET_STATUS_OK;
}

static et_status check_jump(const et_builder *builder, const et_walk *walk) {
  const int32_t index = et_fb_i32(walk->args, ET_JUMP_CONDITION);
  const uint8_t tag = tag_at(builder, index);
  et_tensor_record record;
  if (tag == ET_VALUE_TENSOR) {
    ET_RETURN_IF_ERROR(record_at(builder, index, &record));
    return record.dtype == ET_SCALAR_TYPE_BOOL
               ? ET_STATUS_OK
               : fail_instruction(builder, walk,
                                  "the condition is not a bool tensor");
  }
  return tag == ET_VALUE_BOOL
             ? ET_STATUS_OK
             : fail_instruction(builder, walk,
                                "the condition is not a bool or a Tensor");
}

static et_status check(const et_builder *builder, const et_walk *walk) {
  return walk->tag == ET_INSTRUCTION_MOVE ? check_move(builder, walk)
                                          : check_jump(builder, walk);
}

static void fill(const et_builder *builder, const et_walk *walk) {
  et_value *values = builder->regions.values;
  et_instruction *out = &builder->regions.instructions[walk->index];
  if (walk->tag == ET_INSTRUCTION_MOVE) {
    out->args[0] = &values[et_fb_i32(walk->args, ET_MOVE_FROM)];
    out->args[1] = &values[et_fb_i32(walk->args, ET_MOVE_TO)];
    out->arg_count = 2;
    out->output_count = 1;
  } else {
    out->args[0] = &values[et_fb_i32(walk->args, ET_JUMP_CONDITION)];
    out->arg_count = 1;
    out->u.target =
        walk->first + (uint32_t)et_fb_i32(walk->args, ET_JUMP_DESTINATION);
  }
}

/* Returns true for executorch_prim::et_copy_index.tensor, which writes one row
 * of its first operand. */
static bool is_row_copy(const et_instruction *instruction) {
  return instruction->tag == ET_INSTRUCTION_KERNEL_CALL &&
         strcmp(instruction->u.kernel->name,
                "executorch_prim::et_copy_index.tensor") == 0;
}

/* Iterates backward and tracks the lowest jump target. */
static void mark(const et_builder *builder) {
  uint32_t lowest = UINT32_MAX;
  for (size_t i = builder->counts.instructions; i-- > 0;) {
    et_instruction *instruction = &builder->regions.instructions[i];
    if (instruction->tag == ET_INSTRUCTION_JUMP_FALSE &&
        instruction->u.target < lowest) {
      lowest = instruction->u.target;
    }
    instruction->fills_rows = lowest <= i && is_row_copy(instruction);
  }
}

/* If only et_copy_index in a loop writes a tensor, its rows start unfilled. */
static et_status mark_rows(void *context, et_value *value) {
  et_simulation *sim = context;
  uint32_t *origin = &sim->origins[et_simulation_index(sim, value)];
  if (*origin == ORIGIN_UNKNOWN) {
    *origin = ORIGIN_UNFILLED;
  } else if (*origin == ORIGIN_STATE) {
    *origin |= ORIGIN_WRITTEN;
  }
  return ET_STATUS_OK;
}

/* A partly written tensor keeps its other bytes, except for rows before the
 * first write. */
static et_status fill_row(void *context, et_value *value) {
  et_simulation *sim = context;
  uint32_t *origin = &sim->origins[et_simulation_index(sim, value)];
  if (*origin == ORIGIN_UNFILLED) {
    *origin = ORIGIN_FILLED;
    return ET_STATUS_OK;
  }
  return et_simulation_read(context, value);
}

static et_status forget_rows(void *context, et_value *value) {
  et_simulation *sim = context;
  uint32_t *origin = &sim->origins[et_simulation_index(sim, value)];
  *origin = *origin == ORIGIN_FILLED ? ORIGIN_UNFILLED : *origin;
  return ET_STATUS_OK;
}

static bool jumps_back(const et_simulation *sim, uint32_t index) {
  const et_instruction *instruction = &sim->method->instructions[index];
  return instruction->tag == ET_INSTRUCTION_JUMP_FALSE &&
         instruction->u.target <= index;
}

/* Each iteration of an outer loop starts with unfilled rows of its inner
 * loops. */
static void empty_inner_rows(et_simulation *sim, uint32_t first,
                             uint32_t jump) {
  uint32_t begin = jump; /* start of the inner loops that end at or after i */
  for (uint32_t i = jump; i-- > first;) {
    const et_instruction *instruction = &sim->method->instructions[i];
    if (jumps_back(sim, i) && instruction->u.target < begin) {
      begin = instruction->u.target;
    }
    if (begin <= i && is_row_copy(instruction)) {
      et_operands_visit(instruction, ET_OPERAND_UPDATED, forget_rows, sim);
    }
  }
}

static et_status follow_again(et_simulation *sim, uint32_t jump) {
  if (!jumps_back(sim, jump)) {
    return ET_STATUS_OK;
  }
  const uint32_t first = sim->method->instructions[jump].u.target;
  empty_inner_rows(sim, first, jump);
  for (uint32_t i = first; i <= jump; i++) {
    ET_RETURN_IF_ERROR(et_simulation_follow(sim, i));
  }
  return ET_STATUS_OK;
}

/* Copies a scalar, or a tensor's bytes and sizes. */
static et_status run_move(const et_method *method, uint32_t index,
                          et_error *error) {
  const et_instruction *move = &method->instructions[index];
  const et_value *from = move->args[0];
  et_value *to = move->args[1];
  if (from->tag != ET_VALUE_TENSOR) {
    *to = *from;
    return ET_STATUS_OK;
  }
  const et_tensor *source = from->u.as_tensor;
  et_error reason;
  et_error_clear(&reason);
  const et_status status =
      et_tensor_resize(to->u.as_tensor, source->sizes, source->rank, &reason);
  if (status != ET_STATUS_OK) {
    return et_fail_because(error, status, &reason,
                           "instructions[%u] Move: ", (unsigned)index);
  }
  memmove(to->u.as_tensor->data, source->data, et_tensor_nbytes(source));
  return ET_STATUS_OK;
}

static et_status read_condition(const et_method *method, uint32_t index,
                                bool *out_condition, et_error *error) {
  const et_value *value = method->instructions[index].args[0];
  if (value->tag == ET_VALUE_BOOL) {
    *out_condition = value->u.as_bool;
    return ET_STATUS_OK;
  }
  const et_tensor *tensor = value->u.as_tensor;
  if (tensor->numel != 1) {
    return et_fail_program(error,
                           "instructions[%u] JumpFalse: the condition has %zu "
                           "elements, expected 1",
                           (unsigned)index, tensor->numel);
  }
  *out_condition = *(const uint8_t *)tensor->data != 0;
  return ET_STATUS_OK;
}

static et_status run(const et_method *method, uint32_t index, bool *condition,
                     et_error *error) {
  return method->instructions[index].tag == ET_INSTRUCTION_MOVE
             ? run_move(method, index, error)
             : read_condition(method, index, condition, error);
}

const struct et_branching et_branching = {
    check, fill, mark, mark_rows, fill_row, follow_again, run};
