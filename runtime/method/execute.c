#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/core/error.h"
#include "runtime/method/builder.h"
#include "runtime/method/optional_parts.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_status run_kernel(const et_method *method, uint32_t index,
                            et_error *error) {
  const et_instruction *call = &method->instructions[index];
  et_error reason;
  et_error_clear(&reason);
  et_kernel_context context = {.scratch = method->scratch,
                               .state = call->state,
                               .parallel = method->parallel,
                               .observer = method->observer,
                               .error = &reason,
                               .random = method->random};
  const et_status status = call->u.kernel->run(&context, call->args);
  return status == ET_STATUS_OK
             ? status
             : et_fail_because(error, status, &reason,
                               "instructions[%u] %s: ", (unsigned)index,
                               call->u.kernel->name);
}

et_status et_run_instruction(const et_method *method, uint32_t index,
                             bool *condition, et_error *error) {
  switch (method->instructions[index].tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      return run_kernel(method, index, error);
    case ET_INSTRUCTION_DELEGATE_CALL:
      return method->delegation->run(method, index, error);
    case ET_INSTRUCTION_MOVE:
    case ET_INSTRUCTION_JUMP_FALSE:
      return method->branching->run(method, index, condition, error);
    default:
      return ET_STATUS_OK; /* Free: planned memory is not released */
  }
}

/* Runs one instruction, and reports it if the observer includes the support
 * code. */
static et_status run_one(const et_method *method, uint32_t index,
                         bool *condition, et_error *error) {
  const et_observer *observer = method->observer;
  return observer != NULL && observer->by != NULL
             ? observer->by->run(method, index, condition, error)
             : et_run_instruction(method, index, condition, error);
}

/* Runs instruction *index, and sets it to the next one. */
static et_status step(const et_method *method, uint32_t *index,
                      et_error *error) {
  bool condition = true;
  if (method->views != NULL) {
    ET_RETURN_IF_ERROR(method->views->enter(method, *index, error));
  }
  ET_RETURN_IF_ERROR(run_one(method, *index, &condition, error));
  *index = condition ? *index + 1 : method->instructions[*index].u.target;
  return ET_STATUS_OK;
}

static et_status fail_budget(const et_method *method, uint32_t index,
                             et_error *error) {
  return et_fail(
      error, ET_STATUS_OUT_OF_RESOURCES,
      "instructions[%u] of method '%s': the run exceeds %llu instructions; "
      "raise et_method_options.max_steps if its loops end",
      (unsigned)index, et_fb_text(method->plan, ET_PLAN_NAME).data,
      (unsigned long long)method->max_steps);
}

static et_status run_all(const et_method *method, et_error *error) {
  uint32_t index = 0;
  for (uint64_t steps = 0; index < method->instruction_count; steps++) {
    if (steps == method->max_steps) {
      return fail_budget(method, index, error);
    }
    ET_RETURN_IF_ERROR(step(method, &index, error));
  }
  return method->views != NULL ? method->views->check_outputs(method, error)
                               : ET_STATUS_OK;
}

/* Checks that the caller's memory for an output does not overlap an input's.
 * Zeroes it if a run may leave it unwritten. */
static et_status prepare_external(const et_method *method, uint32_t output,
                                  et_error *error) {
  const et_tensor *written = method->outputs[output].value->u.as_tensor;
  for (uint32_t i = 0; i < method->input_count; i++) {
    const et_tensor *read = method->inputs[i].value->u.as_tensor;
    if (!method->inputs[i].is_external) {
      continue;
    }
    const uintptr_t a = (uintptr_t)read->data;
    const uintptr_t b = (uintptr_t)written->data;
    if (a < b + written->capacity && b < a + et_tensor_nbytes(read)) {
      return et_fail(
          error, ET_STATUS_INVALID_ARGUMENT,
          "outputs[%u] overlaps inputs[%u]; give them separate memory",
          (unsigned)output, (unsigned)i);
    }
  }
  if (method->outputs[output].is_cleared) {
    memset(written->data, 0, written->capacity);
  }
  return ET_STATUS_OK;
}

static et_status check_io(const et_method *method, et_error *error) {
  for (uint32_t i = 0; i < method->input_count; i++) {
    if (!method->inputs[i].is_set) {
      return et_fail(error, ET_STATUS_INVALID_STATE,
                     "inputs[%u] is not set; set each input before the call",
                     (unsigned)i);
    }
  }
  for (uint32_t i = 0; i < method->output_count; i++) {
    if (!method->outputs[i].is_set) {
      return et_fail(error, ET_STATUS_INVALID_STATE,
                     "outputs[%u] is not in planned memory; call "
                     "et_method_set_output first",
                     (unsigned)i);
    }
    if (method->outputs[i].is_external) {
      ET_RETURN_IF_ERROR(prepare_external(method, i, error));
    }
  }
  return method->ranges != NULL ? method->ranges->check_inputs(method, error)
                                : ET_STATUS_OK;
}

et_status et_method_execute(et_method *method, et_error *out_error) {
  et_error_clear(out_error);
  method->has_outputs = false;
  ET_RETURN_IF_ERROR(check_io(method, out_error));
  if (method->views != NULL) {
    method->views->reset(method);
  }
  const et_status status = et_advise(
      out_error, et_advise_load(out_error, run_all(method, out_error)),
      "check that eager PyTorch accepts the same inputs");
  if (status != ET_STATUS_OK) {
    /* Resets loop counters, which are values, after an interrupted loop. */
    const et_fb_vector values = et_tables_vector(method->plan, ET_PLAN_VALUES);
    et_build_scalars(values, method->values);
    if (method->ranges != NULL) {
      method->ranges->forget(method);
    }
  }
  method->has_outputs = status == ET_STATUS_OK;
  return status;
}
