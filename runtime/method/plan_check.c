#include "runtime/method/plan_check.h"

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/method/check.h"
#include "runtime/method/operands.h"
#include "runtime/method/optional_parts.h"
#include "runtime/method/simulation.h"
#include "runtime/method/state.h"
#include "runtime/program/schema.h"

/* Returns true if the value is a non-empty tensor in planned memory. */
static bool is_tracked(const et_value *value) {
  const et_tensor *tensor = value->u.as_tensor;
  return value->tag == ET_VALUE_TENSOR && tensor->data != NULL &&
         !tensor->is_constant && tensor->capacity != 0;
}

/* Returns true for a mutable buffer that this run has written. */
static bool is_updated_state(uint32_t origin) {
  const uint32_t bits = ORIGIN_STATE | ORIGIN_WRITTEN;
  return origin < ORIGIN_VIEW && (origin & bits) == bits;
}

static bool owner_of(const et_simulation *sim, const et_value *value,
                     uint32_t *out_owner) {
  const uintptr_t begin = (uintptr_t)value->u.as_tensor->data;
  return et_intervals_owner(&sim->map, begin,
                            begin + value->u.as_tensor->capacity,
                            et_simulation_index(sim, value), out_owner);
}

static et_status spend_step(et_simulation *sim) {
  if (sim->steps_left == 0) {
    return et_fail(sim->error, ET_STATUS_OUT_OF_RESOURCES,
                   "the memory plan needs too many steps to check");
  }
  sim->steps_left--;
  return ET_STATUS_OK;
}

static et_status write_value(void *context, et_value *value) {
  et_simulation *sim = context;
  const et_tensor *tensor = value->u.as_tensor;
  ET_RETURN_IF_ERROR(spend_step(sim));
  if (is_tracked(value)) {
    const uintptr_t begin = (uintptr_t)tensor->data;
    et_intervals_assign(&sim->map, begin, begin + tensor->capacity,
                        et_simulation_index(sim, value));
  }
  return ET_STATUS_OK;
}

/* Returns true if `value` may read bytes that `owner`, another value, or the
 * previous run wrote. Records the origin. */
static bool accept_owner(et_simulation *sim, uint32_t value, uint32_t owner) {
  uint32_t *origin = &sim->origins[value];
  if (owner == ET_NO_OWNER) {
    *origin |= *origin < ORIGIN_VIEW ? ORIGIN_STATE : 0u;
    return *origin < ORIGIN_VIEW;
  }
  /* A view of a mutable buffer that was written later. */
  if (*origin == ORIGIN_STATE) {
    return is_updated_state(sim->origins[owner]);
  }
  if (*origin == ORIGIN_UNKNOWN) {
    *origin = et_origin_in(owner);
  }
  return *origin == et_origin_in(owner);
}

/* Returns true if `value` is intact. Otherwise, *out_owner has overwritten
 * it. */
static bool holds_its_bytes(et_simulation *sim, const et_value *value,
                            uint32_t *out_owner) {
  const uint32_t index = et_simulation_index(sim, value);
  return !is_tracked(value) ||
         (owner_of(sim, value, out_owner) &&
          (*out_owner == index || accept_owner(sim, index, *out_owner)));
}

et_status et_simulation_read(void *context, et_value *value) {
  et_simulation *sim = context;
  uint32_t owner = 0;
  uint32_t *origin = &sim->origins[et_simulation_index(sim, value)];
  ET_RETURN_IF_ERROR(spend_step(sim));
  *origin = *origin == ORIGIN_UNFILLED ? ORIGIN_WRITTEN : *origin;
  if (*origin == ORIGIN_UNVIEWED) {
    return et_fail_program(
        sim->error,
        "instructions[%u] reads values[%u] before the view that binds it",
        (unsigned)sim->instruction, (unsigned)et_simulation_index(sim, value));
  }
  if (holds_its_bytes(sim, value, &owner)) {
    return ET_STATUS_OK;
  }
  return et_fail_program(
      sim->error,
      "instructions[%u] reads values[%u], but values[%d] has "
      "overwritten its bytes",
      (unsigned)sim->instruction, (unsigned)et_simulation_index(sim, value),
      (int)(int32_t)owner);
}

et_status et_simulation_follow(et_simulation *sim, uint32_t index) {
  const et_instruction *instruction = &sim->method->instructions[index];
  sim->instruction = index;
  ET_RETURN_IF_ERROR(spend_step(sim));
  ET_RETURN_IF_ERROR(
      et_operands_visit(instruction, ET_OPERAND_READ, et_simulation_read, sim));
  ET_RETURN_IF_ERROR(et_operands_visit(instruction, ET_OPERAND_UPDATED,
                                       instruction->fills_rows
                                           ? sim->method->branching->fill_row
                                           : et_simulation_read,
                                       sim));
  if (instruction->is_view) {
    ET_RETURN_IF_ERROR(
        sim->builder->registry->views->simulate(sim, instruction));
  }
  return et_operands_visit(instruction, ET_OPERANDS_WRITTEN, write_value, sim);
}

static et_status follow_all(et_simulation *sim) {
  const et_method *method = sim->method;
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    ET_RETURN_IF_ERROR(et_simulation_follow(sim, i));
    if (method->instructions[i].tag == ET_INSTRUCTION_JUMP_FALSE) {
      ET_RETURN_IF_ERROR(method->branching->follow_again(sim, i));
    }
  }
  return ET_STATUS_OK;
}

static et_status mark_written(void *context, et_value *value) {
  et_simulation *sim = context;
  uint32_t *origin = &sim->origins[et_simulation_index(sim, value)];
  *origin = (*origin & ORIGIN_STATE) | ORIGIN_WRITTEN;
  return ET_STATUS_OK;
}

/* Returns true for an in-place operator that overwrites its first operand,
 * which is then state. Outs are the last operands. Views of the state may be
 * read instead. */
static bool writes_state(const et_instruction *instruction) {
  return instruction->tag == ET_INSTRUCTION_KERNEL_CALL &&
         instruction->u.kernel->signature[0] == 'w';
}

/* Records which values hold state, and splits planned memory at tensor
 * boundaries. The out of a view without its own memory is at the start of
 * another value's. */
static void look_at_values(et_simulation *sim) {
  for (uint32_t i = 0; i < sim->method->value_count; i++) {
    const et_value *value = &sim->method->values[i];
    et_tensor_record record;
    sim->origins[i] = ORIGIN_UNKNOWN;
    if (!et_state_read(sim->builder->values, i, &record)) {
      continue;
    }
    if (record.has_data) {
      sim->origins[i] = ORIGIN_STATE;
    }
    if (is_tracked(value)) {
      const uintptr_t begin = (uintptr_t)value->u.as_tensor->data;
      et_intervals_add(&sim->map, begin, begin + value->u.as_tensor->capacity);
    }
  }
  et_intervals_start(&sim->map);
}

/* Starts a run: all planned bytes are from the previous run, except the
 * inputs. */
static et_status start_run(et_simulation *sim) {
  const et_method *method = sim->method;
  const struct et_views *views = sim->builder->registry->views;
  look_at_values(sim);
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    const et_instruction *instruction = &method->instructions[i];
    et_operands_visit(instruction, ET_OPERANDS_WRITTEN,
                      instruction->fills_rows ? method->branching->mark_rows
                                              : mark_written,
                      sim);
    if (writes_state(instruction)) {
      sim->origins[et_simulation_index(sim, instruction->args[0])] |=
          ORIGIN_STATE;
    }
  }
  for (uint32_t i = 0; i < method->input_count; i++) {
    mark_written(sim, method->inputs[i].value);
    ET_RETURN_IF_ERROR(write_value(sim, method->inputs[i].value));
  }
  return views != NULL ? views->start(sim) : ET_STATUS_OK;
}

static et_status end_run(et_simulation *sim) {
  uint32_t owner = 0;
  for (uint32_t i = 0; i < sim->method->output_count; i++) {
    if (!holds_its_bytes(sim, sim->method->outputs[i].value, &owner)) {
      return et_fail_program(
          sim->error, "outputs[%u]: values[%d] has overwritten its bytes",
          (unsigned)i, (int)(int32_t)owner);
    }
  }
  for (uint32_t i = 0; i < sim->method->value_count; i++) {
    const uint32_t origin = sim->origins[i];
    if (origin < ORIGIN_VIEW && (origin & ORIGIN_STATE) != 0 &&
        !holds_its_bytes(sim, &sim->method->values[i], &owner)) {
      return et_fail_program(
          sim->error,
          "values[%u] is persistent, but values[%d] has overwritten its bytes",
          (unsigned)i, (int)(int32_t)owner);
    }
  }
  return ET_STATUS_OK;
}

et_status et_plan_check_run(const et_builder *builder) {
  const et_regions *regions = &builder->regions;
  et_simulation sim = {
      .error = builder->error,
      .builder = builder,
      .method = regions->method,
      .map = {.edges = regions->edges, .owners = regions->owners},
      .steps_left = ET_LIMIT_PLAN_STEPS,
      .origins = regions->origins};
  ET_RETURN_IF_ERROR(et_call_check_run(builder));
  ET_RETURN_IF_ERROR(start_run(&sim));
  ET_RETURN_IF_ERROR(follow_all(&sim));
  return end_run(&sim);
}
