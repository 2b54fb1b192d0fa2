#include "runtime/method/plan_check.h"

#include "runtime/core/limits.h"
#include "runtime/core/reason.h"
#include "runtime/method/call_check.h"
#include "runtime/method/intervals.h"
#include "runtime/method/operands.h"
#include "runtime/program/schema.h"

/* Where a value's bytes come from. Below ET_LIMIT_VALUES: it is a view of the
 * value with that index. */
enum {
  ORIGIN_UNKNOWN = -1,  /* not read yet, and written by nothing */
  ORIGIN_WRITTEN = -2,  /* an input, or written by an instruction */
  ORIGIN_STATE = -3,    /* the run before */
  ORIGIN_BOTH = -4,     /* a mutable buffer: the run before, then written */
  ORIGIN_UNVIEWED = -5, /* the out of an et_view that has not been followed */
  ORIGIN_UNFILLED = -6, /* rows that a loop is to fill: see plan_check.h */
  ORIGIN_FILLED = -7,   /* such rows, once it does */
};

typedef struct simulation {
  const et_builder *builder;
  const et_method *method;
  et_intervals map;
  uint32_t steps_left;
  int32_t *origins; /* of each value */
  uint32_t instruction;
} simulation;

static uint32_t index_of(const simulation *sim, const et_value *value) {
  return (uint32_t)(value - sim->method->values);
}

/* Whether it lies in planned memory and has bytes. */
static bool is_tracked(const et_value *value) {
  const et_tensor *tensor = value->u.as_tensor;
  return value->tag == ET_VALUE_TENSOR && tensor->data != NULL &&
         !tensor->is_constant && tensor->capacity != 0;
}

static bool owner_of(const simulation *sim, const et_value *value,
                     uint32_t *out_owner) {
  const uintptr_t begin = (uintptr_t)value->u.as_tensor->data;
  return et_intervals_owner(&sim->map, begin,
                            begin + value->u.as_tensor->capacity,
                            index_of(sim, value), out_owner);
}

static et_status spend_step(simulation *sim) {
  if (sim->steps_left == 0) {
    return et_fail(sim->builder->error, ET_STATUS_OUT_OF_RESOURCES,
                   "the memory plan takes too many steps to check");
  }
  sim->steps_left--;
  return ET_STATUS_OK;
}

static et_status write_value(void *context, et_value *value) {
  simulation *sim = context;
  const et_tensor *tensor = value->u.as_tensor;
  ET_RETURN_IF_ERROR(spend_step(sim));
  if (is_tracked(value)) {
    const uintptr_t begin = (uintptr_t)tensor->data;
    et_intervals_assign(&sim->map, begin, begin + tensor->capacity,
                        index_of(sim, value));
  }
  return ET_STATUS_OK;
}

/* Whether `value` may take its bytes from `owner`, another value, or from the
 * run before. Notes what it takes them as. */
static bool accept_owner(simulation *sim, uint32_t value, uint32_t owner) {
  int32_t *origin = &sim->origins[value];
  const bool is_written = *origin == ORIGIN_WRITTEN || *origin == ORIGIN_BOTH ||
                          *origin == ORIGIN_FILLED;
  if (owner == ET_NO_OWNER) {
    *origin = is_written ? ORIGIN_BOTH
                         : (*origin == ORIGIN_UNKNOWN ? ORIGIN_STATE : *origin);
    return *origin < 0;
  }
  if (*origin == ORIGIN_UNKNOWN) {
    *origin = (int32_t)owner;
    return true;
  }
  if (*origin == ORIGIN_STATE) { /* a view of a mutable buffer written since */
    return sim->origins[owner] == ORIGIN_BOTH;
  }
  return *origin == (int32_t)owner;
}

/* Whether `value` holds what it should; else *out_owner has overwritten it. */
static bool holds_its_bytes(simulation *sim, const et_value *value,
                            uint32_t *out_owner) {
  const uint32_t index = index_of(sim, value);
  return !is_tracked(value) ||
         (owner_of(sim, value, out_owner) &&
          (*out_owner == index || accept_owner(sim, index, *out_owner)));
}

static et_status read_value(void *context, et_value *value) {
  simulation *sim = context;
  uint32_t owner = 0;
  int32_t *origin = &sim->origins[index_of(sim, value)];
  ET_RETURN_IF_ERROR(spend_step(sim));
  *origin = *origin == ORIGIN_UNFILLED ? ORIGIN_WRITTEN : *origin;
  if (*origin == ORIGIN_UNVIEWED) {
    return et_fail_program(
        sim->builder->error,
        "instructions[%u] reads values[%u] before the view that gives "
        "it bytes",
        (unsigned)sim->instruction, (unsigned)index_of(sim, value));
  }
  if (holds_its_bytes(sim, value, &owner)) {
    return ET_STATUS_OK;
  }
  return et_fail_program(
      sim->builder->error,
      "instructions[%u] reads values[%u], but values[%d] has "
      "overwritten its bytes",
      (unsigned)sim->instruction, (unsigned)index_of(sim, value),
      (int)(int32_t)owner);
}

/* What is written in part keeps the rest, but for rows before their first. */
static et_status update_value(void *context, et_value *value) {
  simulation *sim = context;
  int32_t *origin = &sim->origins[index_of(sim, value)];
  if (*origin == ORIGIN_UNFILLED) {
    *origin = ORIGIN_FILLED;
    return ET_STATUS_OK;
  }
  return read_value(context, value);
}

static et_status forget_rows(void *context, et_value *value) {
  simulation *sim = context;
  int32_t *origin = &sim->origins[index_of(sim, value)];
  *origin = *origin == ORIGIN_FILLED ? ORIGIN_UNFILLED : *origin;
  return ET_STATUS_OK;
}

/* The out holds from its view on what the base holds then. */
static et_status see_view(simulation *sim, const et_instruction *view) {
  int32_t *origin = &sim->origins[index_of(sim, view->args[2])];
  *origin = *origin == ORIGIN_UNVIEWED ? ORIGIN_UNKNOWN : *origin;
  return read_value(sim, view->args[2]);
}

static et_status follow(simulation *sim, uint32_t index) {
  const et_instruction *instruction = &sim->method->instructions[index];
  sim->instruction = index;
  ET_RETURN_IF_ERROR(spend_step(sim));
  ET_RETURN_IF_ERROR(
      et_operands_visit(instruction, ET_OPERAND_READ, read_value, sim));
  ET_RETURN_IF_ERROR(
      et_operands_visit(instruction, ET_OPERAND_UPDATED, update_value, sim));
  if (et_instruction_is_view(instruction)) {
    ET_RETURN_IF_ERROR(see_view(sim, instruction));
  }
  return et_operands_visit(instruction, ET_OPERANDS_WRITTEN, write_value, sim);
}

static bool jumps_back(const simulation *sim, uint32_t index) {
  const et_instruction *instruction = &sim->method->instructions[index];
  return instruction->tag == ET_INSTRUCTION_JUMP_FALSE &&
         instruction->u.target <= index;
}

/* Each iteration of the loop has the loops inside it fill their rows anew. */
static void empty_inner_rows(simulation *sim, uint32_t first, uint32_t jump) {
  uint32_t begin = jump; /* of the loops inside that end at or behind i */
  for (uint32_t i = jump; i-- > first;) {
    const et_instruction *instruction = &sim->method->instructions[i];
    if (jumps_back(sim, i) && instruction->u.target < begin) {
      begin = instruction->u.target;
    }
    if (begin <= i && et_instruction_is_row_copy(instruction)) {
      et_operands_visit(instruction, ET_OPERAND_UPDATED, forget_rows, sim);
    }
  }
}

/* A backward jump has its loop followed a second time, to see what an iteration
 * reads of the one before. */
static et_status follow_again(simulation *sim, uint32_t jump) {
  const uint32_t first = sim->method->instructions[jump].u.target;
  empty_inner_rows(sim, first, jump);
  for (uint32_t i = first; i <= jump; i++) {
    ET_RETURN_IF_ERROR(follow(sim, i));
  }
  return ET_STATUS_OK;
}

static et_status follow_all(simulation *sim) {
  for (uint32_t i = 0; i < sim->method->instruction_count; i++) {
    ET_RETURN_IF_ERROR(follow(sim, i));
    if (jumps_back(sim, i)) {
      ET_RETURN_IF_ERROR(follow_again(sim, i));
    }
  }
  return ET_STATUS_OK;
}

/* Rows that nothing but a loop's et_copy_index writes. */
static et_status mark_rows(void *context, et_value *value) {
  simulation *sim = context;
  int32_t *origin = &sim->origins[index_of(sim, value)];
  *origin = *origin == ORIGIN_UNKNOWN ? ORIGIN_UNFILLED : *origin;
  return ET_STATUS_OK;
}

static et_status mark_written(void *context, et_value *value) {
  simulation *sim = context;
  sim->origins[index_of(sim, value)] = ORIGIN_WRITTEN;
  return ET_STATUS_OK;
}

/* An out gets its bytes from one view and from nothing else. */
static et_status mark_view(simulation *sim, uint32_t index) {
  const et_instruction *view = &sim->method->instructions[index];
  const uint32_t out = index_of(sim, view->args[2]);
  if (sim->origins[out] == ORIGIN_UNKNOWN) {
    sim->origins[out] = ORIGIN_UNVIEWED;
    return ET_STATUS_OK;
  }
  return et_fail_program(
      sim->builder->error,
      "instructions[%u]: values[%u], the out of a view, %s", (unsigned)index,
      (unsigned)out,
      sim->origins[out] == ORIGIN_UNVIEWED
          ? "is that of another already"
          : "is an input, holds state or is written as well");
}

static et_status mark_views(simulation *sim) {
  for (uint32_t i = 0; i < sim->method->instruction_count; i++) {
    if (et_instruction_is_view(&sim->method->instructions[i])) {
      ET_RETURN_IF_ERROR(mark_view(sim, i));
    }
  }
  return ET_STATUS_OK;
}

static et_status set_origins(simulation *sim) {
  const et_method *method = sim->method;
  for (uint32_t i = 0; i < method->value_count; i++) {
    sim->origins[i] = ORIGIN_UNKNOWN;
  }
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    const et_instruction *instruction = &method->instructions[i];
    const bool fills =
        instruction->in_loop && et_instruction_is_row_copy(instruction);
    et_operands_visit(instruction, ET_OPERANDS_WRITTEN,
                      fills ? mark_rows : mark_written, sim);
  }
  for (uint32_t i = 0; i < method->input_count; i++) {
    mark_written(sim, method->inputs[i].value);
  }
  for (uint32_t i = 0; i < method->value_count; i++) {
    if (et_build_has_state(sim->builder, i)) {
      sim->origins[i] =
          sim->origins[i] == ORIGIN_UNKNOWN ? ORIGIN_STATE : ORIGIN_BOTH;
    }
  }
  return mark_views(sim);
}

/* Cuts planned memory where tensors begin and end. The out of a view that has no
 * place of its own lies at the beginning of one that has. */
static void cut_memory(simulation *sim) {
  for (uint32_t i = 0; i < sim->method->value_count; i++) {
    const et_value *value = &sim->method->values[i];
    if (is_tracked(value) && et_build_is_planned(sim->builder, i)) {
      const uintptr_t begin = (uintptr_t)value->u.as_tensor->data;
      et_intervals_add(&sim->map, begin, begin + value->u.as_tensor->capacity);
    }
  }
  et_intervals_start(&sim->map);
}

/* All planned bytes are left over from the run before; then inputs are set. */
static et_status start_run(simulation *sim) {
  cut_memory(sim);
  for (uint32_t i = 0; i < sim->method->input_count; i++) {
    ET_RETURN_IF_ERROR(write_value(sim, sim->method->inputs[i].value));
  }
  return ET_STATUS_OK;
}

static et_status end_run(simulation *sim) {
  uint32_t owner = 0;
  for (uint32_t i = 0; i < sim->method->output_count; i++) {
    if (!holds_its_bytes(sim, sim->method->outputs[i].value, &owner)) {
      return et_fail_program(
          sim->builder->error,
          "outputs[%u]: values[%d] has overwritten its bytes", (unsigned)i,
          (int)(int32_t)owner);
    }
  }
  for (uint32_t i = 0; i < sim->method->value_count; i++) {
    const int32_t origin = sim->origins[i];
    if ((origin == ORIGIN_STATE || origin == ORIGIN_BOTH) &&
        !holds_its_bytes(sim, &sim->method->values[i], &owner)) {
      return et_fail_program(
          sim->builder->error,
          "values[%u] is kept from run to run, but values[%d] has "
          "overwritten its bytes",
          (unsigned)i, (int)(int32_t)owner);
    }
  }
  return ET_STATUS_OK;
}

static bool take_work(et_arena *arena, const et_counts *counts,
                      simulation *sim) {
  void *origins = NULL;
  const bool fits =
      et_intervals_take(arena, counts->planned_tensors, &sim->map) &&
      et_arena_take(arena, counts->values, sizeof *sim->origins,
                    ET_REGION_ALIGNMENT, &origins);
  sim->origins = origins;
  return fits;
}

bool et_plan_check_bytes(const et_counts *counts, size_t *out_bytes) {
  et_arena arena = et_arena_measuring();
  simulation sim;
  void *end = NULL;
  const bool fits = take_work(&arena, counts, &sim) &&
                    et_arena_take(&arena, 0, 1, ET_REGION_ALIGNMENT, &end);
  *out_bytes = arena.used;
  return fits;
}

et_status et_plan_check_run(const et_builder *builder, et_mutable_span work) {
  et_arena arena = et_arena_over(work);
  simulation sim = {.builder = builder,
                    .method = builder->regions.method,
                    .steps_left = ET_LIMIT_PLAN_STEPS};
  if (!take_work(&arena, &builder->counts, &sim)) {
    return et_fail(builder->error, ET_STATUS_INTERNAL,
                   "no room to check the memory plan");
  }
  ET_RETURN_IF_ERROR(et_call_check_run(builder));
  ET_RETURN_IF_ERROR(set_origins(&sim));
  ET_RETURN_IF_ERROR(start_run(&sim));
  ET_RETURN_IF_ERROR(follow_all(&sim));
  return end_run(&sim);
}
