#include <string.h>

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

static et_status check_operators(const et_plan_check *check) {
  const et_fb_vector operators =
      et_tables_vector(check->plan, ET_PLAN_OPERATORS);
  ET_RETURN_IF_ERROR(et_verify_names(
      operators, ET_OPERATOR_NAME, ET_MESSAGE_TEXT("operators"), check->error));
  for (uint32_t i = 0; i < et_fb_count(operators); i++) {
    const et_fb_table row = et_fb_child_at(operators, i);
    const et_fb_vector overload = et_fb_list(row, ET_OPERATOR_OVERLOAD);
    const uint32_t size = et_fb_count(overload);
    if (et_tables_count(row, ET_OPERATOR_NAME) + size >= ET_LIMIT_NAME_BYTES ||
        memchr(et_fb_first(overload), '\0', size) != NULL) {
      return et_fail_program(
          check->error,
          "operators[%u]: the overload name is too long or contains a NUL",
          (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_delegate(const et_plan_check *check, uint32_t index,
                                et_fb_table delegate) {
  et_piece payload;
  if (!et_fb_has(delegate, ET_DELEGATE_PROCESSED) ||
      !et_tables_payload(check->program, delegate, &payload)) {
    return et_fail_program(check->error,
                           "delegates[%u]: the payload does not exist",
                           (unsigned)index);
  }
  const uint32_t specs = et_tables_count(delegate, ET_DELEGATE_SPECS);
  if (specs > ET_LIMIT_COMPILE_SPECS) {
    return et_fail_program(
        check->error, "delegates[%u]: %u compile_specs exceed the limit of %d",
        (unsigned)index, (unsigned)specs, ET_LIMIT_COMPILE_SPECS);
  }
  return ET_STATUS_OK;
}

static et_status check_delegates(const et_plan_check *check) {
  const et_fb_vector delegates =
      et_tables_vector(check->plan, ET_PLAN_DELEGATES);
  ET_RETURN_IF_ERROR(et_verify_names(
      delegates, ET_DELEGATE_ID, ET_MESSAGE_TEXT("delegates"), check->error));
  for (uint32_t i = 0; i < et_fb_count(delegates); i++) {
    const et_fb_table delegate = et_fb_child_at(delegates, i);
    ET_RETURN_IF_ERROR(check_delegate(check, i, delegate));
  }
  return ET_STATUS_OK;
}

static et_status check_buffer_sizes(const et_plan_check *check) {
  const uint32_t count = et_tables_planned_count(check->plan);
  if (count > ET_MAX_PLANNED_BUFFERS) {
    return et_fail_program(
        check->error,
        "non_const_buffer_sizes: %u buffers exceed the limit of %d",
        (unsigned)count, ET_MAX_PLANNED_BUFFERS);
  }
  for (uint32_t i = 0; i < count; i++) {
    const int64_t bytes = et_tables_planned_bytes(check->plan, i);
    /* Pointer differences within a buffer must fit ptrdiff_t. */
    if (bytes < 0 || (uint64_t)bytes > SIZE_MAX / 2) {
      return et_fail_program(
          check->error, "non_const_buffer_sizes[%u] = %lld is out of range",
          (unsigned)i + 1, (long long)bytes);
    }
  }
  return ET_STATUS_OK;
}

/* Checks the inputs or outputs of the plan. */
static et_status check_io(const et_plan_check *check, uint16_t field,
                          const char *name) {
  const et_fb_vector indices = et_tables_vector(check->plan, field);
  for (uint32_t i = 0; i < et_fb_count(indices); i++) {
    const int32_t index = et_fb_i32_at(indices, i);
    if (index < 0 || (uint32_t)index >= check->value_count) {
      return et_fail_program(
          check->error, "%s[%u] = %d is out of range for %u values", name,
          (unsigned)i, (int)index, (unsigned)check->value_count);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_plan(const et_plan_check *check) {
  if (check->value_count > ET_LIMIT_VALUES) {
    return et_fail_program(check->error,
                           "values: %u values exceed the limit of %u",
                           (unsigned)check->value_count, ET_LIMIT_VALUES);
  }
  ET_RETURN_IF_ERROR(check_buffer_sizes(check));
  ET_RETURN_IF_ERROR(check_operators(check));
  ET_RETURN_IF_ERROR(check_delegates(check));
  ET_RETURN_IF_ERROR(et_verify_values(check));
  ET_RETURN_IF_ERROR(
      check_io(check, ET_PLAN_INPUTS, ET_MESSAGE_TEXT("inputs")));
  ET_RETURN_IF_ERROR(
      check_io(check, ET_PLAN_OUTPUTS, ET_MESSAGE_TEXT("outputs")));
  return et_verify_chains(check);
}

/* Verifies plan `index`, and adds the index to messages. */
static et_status verify_plan(const et_program *program, uint32_t index,
                             et_error *error) {
  et_plan_check check = {.program = program, .error = error};
  check.plan = et_tables_plan(program, index);
  check.values = et_tables_vector(check.plan, ET_PLAN_VALUES);
  check.value_count = et_fb_count(check.values);
  const et_status status = check_plan(&check);
  return status == ET_STATUS_OK
             ? ET_STATUS_OK
             : et_fail_within(error, status, "execution_plan[%u].",
                              (unsigned)index);
}

et_status et_verify_plans(const et_program *program, et_error *error) {
  const et_fb_vector plans =
      et_tables_of_program(program, ET_PROGRAM_EXECUTION_PLAN);
  if (et_fb_count(plans) == 0 || et_fb_count(plans) > ET_LIMIT_METHODS) {
    return et_fail_program(error,
                           "execution_plan: got %u methods, expected 1 to %d",
                           (unsigned)et_fb_count(plans), ET_LIMIT_METHODS);
  }
  for (uint32_t i = 0; i < et_fb_count(plans); i++) {
    ET_RETURN_IF_ERROR(verify_plan(program, i, error));
  }
  return et_verify_distinct(plans, ET_PLAN_NAME,
                            ET_MESSAGE_TEXT("execution_plan"),
                            ET_MESSAGE_TEXT("name"), error);
}
