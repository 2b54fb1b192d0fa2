#include "runtime/replay/replay.h"

#include <math.h>
#include <stdio.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "runtime/replay/calls.h"
#include "runtime/replay/session.h"

typedef struct replay {
  const et_replay_options *options;
  et_session session;
  uint32_t call_index;
  bool differs;
  et_error *error;
} replay;

/* Adds the call and the input or output to the message. */
static et_status fail_part(const replay *r, const char *part, uint32_t index,
                           et_status status, const et_error *reason) {
  return et_fail(r->error, status, "call %u: %s %u: %s",
                 (unsigned)r->call_index, part, (unsigned)index,
                 reason->message);
}

/* An expected output. */
typedef struct expectation {
  et_record output;
  et_record real; /* the float model's output; NONE: not compared */
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

static void print_memory(const et_session *session) {
  for (size_t i = 0; i < session->method_count; i++) {
    const et_hosted_method *hosted = &session->methods[i].hosted;
    printf("method '%s': %zu bytes, %zu planned, %zu scratch\n",
           session->methods[i].name, hosted->requirements.method_bytes,
           hosted->planned_bytes, hosted->requirements.scratch_bytes);
  }
}

/* Relative float32 rounding error of the difference between two elements. */
#define STEP_SLACK 1.0001

static et_tolerance tolerance_of(const et_replay_options *options,
                                 uint32_t output,
                                 const et_record_steps *steps) {
  et_tolerance found = options->tolerance;
  double rounding = steps->step;
  bool has_own = false;
  if (options->outputs != NULL && output < ET_REPLAY_MAX_OUTPUTS) {
    const et_output_tolerance *own = &options->outputs[output];
    found.atol = own->atol >= 0 ? own->atol : found.atol;
    found.rtol = own->rtol >= 0 ? own->rtol : found.rtol;
    has_own = own->atol >= 0;
  }
  if (options->allows_rounding && !has_own && steps->rounding > rounding) {
    rounding = steps->rounding;
  }
  found.atol += rounding * STEP_SLACK;
  return found;
}

static void print_failed(const et_difference *difference,
                         const et_record_steps *steps, et_tolerance tolerance) {
  const double error = fabs(difference->actual - difference->expected);
  printf(
      "  element %zu is %.9g, expected %.9g; the tolerance is %.3g + %.3g * "
      "|expected|\n",
      difference->first_failed, difference->actual, difference->expected,
      tolerance.atol, tolerance.rtol);
  if (steps->step > 0) {
    printf("  that is %.1f quantization steps of %.3g; %.1f are allowed\n",
           error / steps->step, steps->step, tolerance.atol / steps->step);
  } else if (steps->rounding > 0) {
    printf(
        "  rounding in the quantized program explains differences up to %.3g; "
        "this one is %.3g\n",
        steps->rounding, error);
  }
}

static et_status check_elements(replay *r, const et_value *actual,
                                const char *name, uint32_t index,
                                const expectation *expected) {
  const et_tolerance tolerance =
      tolerance_of(r->options, index, &expected->steps);
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
    char advice[96];
    snprintf(advice, sizeof advice,
             "if errors up to %.3g are acceptable, set atol = %.2g",
             difference.max_absolute, 1.2 * difference.max_absolute);
    r->differs = true;
    print_failed(&difference, &expected->steps, tolerance);
    return et_fail(r->error, ET_STATUS_INVALID_TYPE,
                   "call %u: output %u: %zu elements differ by more than the "
                   "tolerance, the first at %zu; %s",
                   (unsigned)r->call_index, (unsigned)index, difference.failed,
                   difference.first_failed, advice);
  }
  return ET_STATUS_OK;
}

/* `actual` is a tensor: it was already compared with the recorded one. */
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
    r->differs = true;
    char figures[128];
    snprintf(
        figures, sizeof figures,
        "SQNR %.2f dB and cosine %.4f to the float model, at least %.2f dB "
        "and %.4f required",
        found.sqnr, found.cosine, least->sqnr, least->cosine);
    return et_fail(r->error, ET_STATUS_INVALID_TYPE,
                   "call %u: output %u: %s; quantize fewer layers ('exclude') "
                   "or set min_sqnr and min_cosine",
                   (unsigned)r->call_index, (unsigned)index, figures);
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
  const et_method *method = et_session_method_of(&r->session, call->method);
  uint32_t count = 0;
  ET_RETURN_IF_ERROR(et_calls_output_count(calls, &count, r->error));
  if (call->expected_status != 0) {
    return et_session_skip(calls, count, r->error);
  }
  if (count != et_method_output_count(method)) {
    return et_fail(r->error, ET_STATUS_INVALID_TYPE,
                   "call %u: got %zu outputs, expected %u",
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
  ET_RETURN_IF_ERROR(
      et_session_call(&r->session, &call, calls, &status, &reason, r->error));
  if ((uint32_t)status != call.expected_status) {
    return et_fail(r->error,
                   status != ET_STATUS_OK ? status : ET_STATUS_INVALID_STATE,
                   "call %u %s: status 0x%x, expected 0x%x: %s",
                   (unsigned)r->call_index, call.method, (unsigned)status,
                   (unsigned)call.expected_status, reason.message);
  }
  if (status != ET_STATUS_OK) {
    printf("call %u %s: rejected, as recorded: %s\n", (unsigned)r->call_index,
           call.method, reason.message);
  }
  return check_outputs(r, &call, calls);
}

static et_status replay_all(replay *r, et_span calls_file) {
  et_calls calls;
  ET_RETURN_IF_ERROR(et_calls_open(calls_file, &calls, r->error));
  ET_RETURN_IF_ERROR(et_session_load(&r->session, calls, r->error));
  print_memory(&r->session);
  for (r->call_index = 0; calls.calls_left != 0; r->call_index++) {
    ET_RETURN_IF_ERROR(make_call(r, &calls));
  }
  printf("%u calls match the recorded results\n", (unsigned)r->call_index);
  return ET_STATUS_OK;
}

et_status et_replay(const et_program *program, et_span calls_file,
                    const et_registry *registry,
                    const et_replay_options *options,
                    et_replay_result *out_result, et_error *error) {
  replay r = {.options = options,
              .session = {.program = program,
                          .registry = registry,
                          .shared_memory_id = options->shared_memory_id},
              .error = error};
  const et_status status = replay_all(&r, calls_file);
  et_session_end(&r.session);
  out_result->call = r.call_index;
  out_result->differs = r.differs;
  return status;
}
