#include "runtime/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/hosted_method.h"
#include "executorch/method.h"
#include "executorch/program.h"
#include "runtime/replay/calls.h"
#include "runtime/replay/feed.h"

#define MAX_METHODS 16
#define MAX_INPUTS 64

/* A method the calls name. */
typedef struct loaded {
  char name[256];
  et_hosted_method hosted;
} loaded;

typedef struct replay {
  const et_program *program;
  const et_registry *registry;
  const et_replay_options *options;
  loaded methods[MAX_METHODS];
  size_t method_count;
  et_random random;         /* for all methods, seeded with 0 */
  void *inputs[MAX_INPUTS]; /* copies of this call's, aligned */
  uint32_t call_index;
  et_error *error;
} replay;

/* Adds to the reason which part of which call it is about. */
static et_status fail_part(const replay *r, const char *part, uint32_t index,
                           et_status status, const et_error *reason) {
  return et_fail(r->error, status, "call %u: %s %u: %s",
                 (unsigned)r->call_index, part, (unsigned)index,
                 reason->message);
}

static et_status load_method(replay *r, const char *name) {
  if (r->method_count == MAX_METHODS) {
    return et_fail(r->error, ET_STATUS_OUT_OF_RESOURCES,
                   "the calls name more than %d methods", MAX_METHODS);
  }
  loaded *method = &r->methods[r->method_count];
  const uint32_t shared = r->options->shared_memory_id;
  const bool has_owner = shared != 0 && r->method_count != 0;
  const et_method_options options = {.random = &r->random};
  ET_RETURN_IF_ERROR(
      et_hosted_method_load_sharing(r->program, name, r->registry, &options,
                                    has_owner ? &r->methods[0].hosted : NULL,
                                    shared, &method->hosted, r->error));
  strcpy(method->name, name); /* both have 256 bytes */
  r->method_count++;
  printf("method '%s': %zu bytes, %zu planned, %zu scratch\n", name,
         method->hosted.requirements.method_bytes, method->hosted.planned_bytes,
         method->hosted.requirements.scratch_bytes);
  return ET_STATUS_OK;
}

static et_method *find_method(const replay *r, const char *name) {
  for (size_t i = 0; i < r->method_count; i++) {
    if (strcmp(r->methods[i].name, name) == 0) {
      return r->methods[i].hosted.method;
    }
  }
  return NULL;
}

/* What an output shall be. */
typedef struct expectation {
  et_record output;
  et_record real; /* what the float model gives; NONE for no comparison */
  et_record_steps steps;
} expectation;

static et_status read_expectation(et_calls *calls, expectation *out,
                                  et_error *error) {
  const expectation plain = {.real = {.kind = ET_RECORD_NONE}};
  *out = plain;
  ET_RETURN_IF_ERROR(et_calls_record(calls, &out->output, error));
  if (out->output.kind != ET_RECORD_QUANTIZED) {
    return ET_STATUS_OK;
  }
  out->steps = out->output.u.as_steps;
  ET_RETURN_IF_ERROR(et_calls_record(calls, &out->output, error));
  return et_calls_record(calls, &out->real, error);
}

/* Reads on to the next call, or to the outputs of this one. */
static et_status skip_records(et_calls *calls, uint32_t count,
                              et_error *error) {
  expectation ignored;
  for (uint32_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(read_expectation(calls, &ignored, error));
  }
  return ET_STATUS_OK;
}

/* All methods are loaded before any runs: loading resets shared state. */
static et_status load_methods(replay *r, et_calls calls) {
  while (calls.calls_left != 0) {
    et_call call;
    uint32_t outputs = 0;
    ET_RETURN_IF_ERROR(et_calls_next(&calls, &call, r->error));
    if (find_method(r, call.method) == NULL) {
      ET_RETURN_IF_ERROR(load_method(r, call.method));
    }
    ET_RETURN_IF_ERROR(skip_records(&calls, call.input_count, r->error));
    ET_RETURN_IF_ERROR(et_calls_output_count(&calls, &outputs, r->error));
    ET_RETURN_IF_ERROR(skip_records(&calls, outputs, r->error));
  }
  return ET_STATUS_OK;
}

/* Sets the inputs and runs; reads past all inputs even when one is refused. */
static et_status run(replay *r, const et_call *call, et_calls *calls,
                     et_status *out_status, et_error *reason) {
  et_feed_target target = {.method = find_method(r, call->method)};
  *out_status = ET_STATUS_OK;
  if (call->input_count > MAX_INPUTS) {
    return et_fail(r->error, ET_STATUS_OUT_OF_RESOURCES,
                   "call %u has more than %d inputs", (unsigned)r->call_index,
                   MAX_INPUTS);
  }
  ET_RETURN_IF_ERROR(
      et_program_method_meta(r->program, call->method, &target.meta, r->error));
  for (uint32_t i = 0; i < call->input_count; i++) {
    et_record record;
    ET_RETURN_IF_ERROR(et_calls_record(calls, &record, r->error));
    if (*out_status == ET_STATUS_OK) {
      *out_status = et_feed_input(&target, i, &record, &r->inputs[i], reason);
    }
  }
  if (*out_status == ET_STATUS_OK) {
    *out_status = et_method_execute(target.method, reason);
  }
  return ET_STATUS_OK;
}

/* What rounding of two elements in float32 may add to a step between them. */
#define STEP_SLACK 1.0001

static et_status check_elements(replay *r, const et_value *actual,
                                const char *name, uint32_t index,
                                const expectation *expected) {
  et_tolerance tolerance = r->options->tolerance;
  tolerance.atol += expected->steps.step * STEP_SLACK;
  et_difference difference;
  et_error reason;
  et_error_clear(&reason);
  const et_status status =
      et_compare(actual, &expected->output, tolerance, &difference, &reason);
  if (status != ET_STATUS_OK) {
    return fail_part(r, "output", index, status, &reason);
  }
  printf("call %u %s: output %u: max abs %.3g, max rel %.3g\n",
         (unsigned)r->call_index, name, (unsigned)index,
         difference.max_absolute, difference.max_relative);
  if (difference.failed != 0) {
    printf("  element %zu is %.9g, expected %.9g\n", difference.first_failed,
           difference.actual, difference.expected);
    return et_fail(r->error, ET_STATUS_INVALID_TYPE,
                   "call %u: output %u: %zu elements differ by more than the "
                   "tolerance, the first at %zu",
                   (unsigned)r->call_index, (unsigned)index, difference.failed,
                   difference.first_failed);
  }
  return ET_STATUS_OK;
}

/* `actual` is a tensor: it has been compared with the recorded one. */
static et_status check_similarity(replay *r, const et_value *actual,
                                  uint32_t index, const expectation *expected) {
  const et_similarity *least = &r->options->least;
  et_similarity found;
  et_error reason;
  et_error_clear(&reason);
  const et_status status = et_similarity_of(
      actual->u.as_tensor, expected->steps, &expected->real, &found, &reason);
  if (status != ET_STATUS_OK) {
    return fail_part(r, "output", index, status, &reason);
  }
  printf("  to the float model: SQNR %.2f dB, cosine %.6f\n", found.sqnr,
         found.cosine);
  if (!(found.sqnr >= least->sqnr && found.cosine >= least->cosine)) {
    printf("  at least %.2f dB and %.6f are asked for\n", least->sqnr,
           least->cosine);
    return et_fail(r->error, ET_STATUS_INVALID_TYPE,
                   "call %u: output %u: too unlike the float model's",
                   (unsigned)r->call_index, (unsigned)index);
  }
  return ET_STATUS_OK;
}

static et_status check_output(replay *r, const et_method *method,
                              const char *name, uint32_t index,
                              const expectation *expected) {
  const et_value *actual = NULL;
  ET_RETURN_IF_ERROR(et_method_get_output(method, index, &actual, r->error));
  ET_RETURN_IF_ERROR(check_elements(r, actual, name, index, expected));
  const bool compared =
      actual->tag == ET_VALUE_TENSOR && expected->real.kind != ET_RECORD_NONE;
  return compared ? check_similarity(r, actual, index, expected) : ET_STATUS_OK;
}

static et_status check_outputs(replay *r, const et_call *call,
                               et_calls *calls) {
  const et_method *method = find_method(r, call->method);
  uint32_t count = 0;
  ET_RETURN_IF_ERROR(et_calls_output_count(calls, &count, r->error));
  if (call->expected_status != 0) {
    return skip_records(calls, count, r->error);
  }
  if (count != et_method_output_count(method)) {
    return et_fail(r->error, ET_STATUS_INVALID_TYPE,
                   "call %u: %zu outputs given, %u expected",
                   (unsigned)r->call_index, et_method_output_count(method),
                   (unsigned)count);
  }
  for (uint32_t i = 0; i < count; i++) {
    expectation expected;
    ET_RETURN_IF_ERROR(read_expectation(calls, &expected, r->error));
    ET_RETURN_IF_ERROR(check_output(r, method, call->method, i, &expected));
  }
  return ET_STATUS_OK;
}

static et_status make_call(replay *r, et_calls *calls) {
  et_call call;
  et_status status = ET_STATUS_OK;
  et_error reason;
  et_error_clear(&reason);
  ET_RETURN_IF_ERROR(et_calls_next(calls, &call, r->error));
  ET_RETURN_IF_ERROR(run(r, &call, calls, &status, &reason));
  if ((uint32_t)status != call.expected_status) {
    return et_fail(r->error,
                   status != ET_STATUS_OK ? status : ET_STATUS_INVALID_STATE,
                   "call %u %s: status 0x%x, expected 0x%x: %s",
                   (unsigned)r->call_index, call.method, (unsigned)status,
                   (unsigned)call.expected_status, reason.message);
  }
  if (status != ET_STATUS_OK) {
    printf("call %u %s: refused as recorded: %s\n", (unsigned)r->call_index,
           call.method, reason.message);
  }
  return check_outputs(r, &call, calls);
}

static et_status replay_all(replay *r, et_span calls_file) {
  et_calls calls;
  ET_RETURN_IF_ERROR(et_calls_open(calls_file, &calls, r->error));
  ET_RETURN_IF_ERROR(load_methods(r, calls));
  for (r->call_index = 0; calls.calls_left != 0; r->call_index++) {
    ET_RETURN_IF_ERROR(make_call(r, &calls));
  }
  printf("%u calls gave what was recorded\n", (unsigned)r->call_index);
  return ET_STATUS_OK;
}

et_status et_replay(const et_program *program, et_span calls_file,
                    const et_registry *registry,
                    const et_replay_options *options, et_error *error) {
  replay r = {.program = program,
              .registry = registry,
              .options = options,
              .random = et_random_seeded(0),
              .error = error};
  const et_status status = replay_all(&r, calls_file);
  for (size_t i = 0; i < MAX_INPUTS; i++) {
    free(r.inputs[i]);
  }
  for (size_t i = 0; i < r.method_count; i++) {
    et_hosted_method_free(&r.methods[i].hosted);
  }
  return status;
}
