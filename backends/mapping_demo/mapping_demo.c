#include "backends/mapping_demo/mapping_demo.h"

#include <stdbool.h>

#include "backends/mapping_demo/handle.h"
#include "backends/mapping_demo/payload.h"
#include "backends/mapping_demo/steps.h"

/* `bytes`, made a multiple of the alignment, so that a handle takes as much as
 * its macro says. */
static et_status take(const et_backend_context *context, et_arena *arena,
                      size_t bytes, void **out) {
  return et_arena_take(arena, MAPPING_DEMO_ALIGNED(bytes), 1,
                       MAPPING_DEMO_ALIGNMENT, out)
             ? ET_STATUS_OK
             : et_fail(context->error, ET_STATUS_DELEGATE_MEMORY,
                       "the method's memory is too small");
}

/* Each step with room for its result; the last writes into the delegate's
 * output. `steps` is NULL while measuring. */
static et_status build_steps(const et_backend_context *context,
                             const mapping_demo_payload *payload,
                             et_arena *arena, mapping_demo_step *steps) {
  for (uint32_t i = 0; i < payload->step_count; i++) {
    mapping_demo_step step;
    void *result = NULL;
    ET_RETURN_IF_ERROR(
        mapping_demo_read_step(payload, i, context->error, &step));
    if (i + 1 < payload->step_count) {
      ET_RETURN_IF_ERROR(
          take(context, arena, sizeof(float) * step.numel, &result));
    }
    if (steps != NULL) {
      step.result = result;
      steps[i] = step;
    }
  }
  return ET_STATUS_OK;
}

/* Builds the program in the arena, or measures it: then *out is NULL. */
static et_status build(const et_backend_context *context, et_arena *arena,
                       mapping_demo_program **out) {
  mapping_demo_payload payload;
  void *program = NULL;
  void *steps = NULL;
  ET_RETURN_IF_ERROR(
      mapping_demo_open(context->payload, context->error, &payload));
  ET_RETURN_IF_ERROR(
      take(context, arena, sizeof(mapping_demo_program), &program));
  ET_RETURN_IF_ERROR(take(
      context, arena, sizeof(mapping_demo_step) * payload.step_count, &steps));
  ET_RETURN_IF_ERROR(build_steps(context, &payload, arena, steps));
  *out = program;
  if (program != NULL) {
    (*out)->step_count = payload.step_count;
    (*out)->input_numel = payload.input_numel;
    (*out)->steps = steps;
  }
  return ET_STATUS_OK;
}

static et_status demo_measure(const et_backend_context *context,
                              et_backend_requirements *out) {
  et_arena arena = et_arena_measuring();
  mapping_demo_program *program = NULL;
  if (context->option_count != 0) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "there is no option '%s'", context->options[0].key);
  }
  ET_RETURN_IF_ERROR(build(context, &arena, &program));
  out->handle_bytes = arena.used;
  out->output_count = 1;
  return ET_STATUS_OK;
}

static et_status demo_init(const et_backend_context *context,
                           void **out_handle) {
  mapping_demo_program *program = NULL;
  ET_RETURN_IF_ERROR(build(context, context->arena, &program));
  *out_handle = program;
  return ET_STATUS_OK;
}

static et_status check_argument(const et_value *arg, size_t index, size_t numel,
                                et_error *error) {
  const bool fits = arg->tag == ET_VALUE_TENSOR &&
                    arg->u.as_tensor->dtype == ET_SCALAR_TYPE_FLOAT32 &&
                    et_tensor_is_contiguous(arg->u.as_tensor) &&
                    arg->u.as_tensor->numel == numel;
  return fits ? ET_STATUS_OK
              : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                        "argument %zu is no float32 tensor in C order of %zu "
                        "elements",
                        index, numel);
}

static void run_step(const mapping_demo_step *step,
                     const float *const operands[2], float *result,
                     uint32_t index, const et_observer *observer) {
  const et_event event = {ET_EVENT_STEP, index,
                          mapping_demo_name((mapping_demo_kind)step->kind),
                          NULL, 0};
  if (observer != NULL) {
    observer->begin(observer->context, &event);
  }
  mapping_demo_compute(step, operands, result);
  if (observer != NULL) {
    observer->end(observer->context, &event, ET_STATUS_OK);
  }
}

/* Value 0 is the input, value k + 1 the result of step k. */
static const float *value_of(const mapping_demo_program *program,
                             const float *input, uint32_t number) {
  return number == 0 ? input : program->steps[number - 1].result;
}

static et_status demo_execute(void *handle, const et_execute_context *context,
                              et_value **args, size_t count) {
  const mapping_demo_program *program = handle;
  const uint32_t last = program->step_count - 1;
  if (count != 2) {
    return et_fail(context->error, ET_STATUS_INVALID_PROGRAM,
                   "%zu arguments; an input and an output are expected", count);
  }
  ET_RETURN_IF_ERROR(
      check_argument(args[0], 0, program->input_numel, context->error));
  ET_RETURN_IF_ERROR(
      check_argument(args[1], 1, program->steps[last].numel, context->error));
  const float *input = args[0]->u.as_tensor->data;
  for (uint32_t i = 0; i <= last; i++) {
    const mapping_demo_step *step = &program->steps[i];
    const float *const operands[2] = {
        value_of(program, input, step->operands[0]),
        value_of(program, input, step->operands[1])};
    run_step(step, operands,
             i == last ? args[1]->u.as_tensor->data : step->result, i,
             context->observer);
  }
  return ET_STATUS_OK;
}

const et_backend et_mapping_demo_backend = {
    .id = "BackendWithDelegateMappingDemo",
    .measure = demo_measure,
    .init = demo_init,
    .execute = demo_execute,
};
