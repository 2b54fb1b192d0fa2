#include "runtime/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/replay/session.h"

/* An instruction in the file. Its results are read next. */
typedef struct step {
  int64_t instruction;
  et_string where;
  int64_t result_count;
} step;

typedef struct search {
  const et_replay_options *options;
  bool is_on;        /* the current call is the one to compare */
  et_calls *results; /* outputs of the current call */
  uint32_t left;     /* result records that have not been read yet */
  bool has_begun;
  bool is_quantized;
  bool has_next;
  step next;
  uint32_t agreed; /* number of instructions with equal results */
  bool is_found;
  et_status status; /* status of reading the file */
  et_error *error;
} search;

static et_status take(search *s, et_record_kind kind, et_record *out) {
  if (s->left == 0) {
    return et_fail(s->error, ET_STATUS_INVALID_EXTERNAL_DATA,
                   "recorded steps: a call is truncated");
  }
  s->left--;
  ET_RETURN_IF_ERROR(et_calls_record(s->results, out, s->error));
  if (out->kind != kind) {
    return et_fail(s->error, ET_STATUS_INVALID_EXTERNAL_DATA,
                   "recorded steps: a record has the wrong type");
  }
  return ET_STATUS_OK;
}

static et_status take_int(search *s, int64_t *out) {
  et_record record;
  ET_RETURN_IF_ERROR(take(s, ET_RECORD_INT, &record));
  *out = record.u.as_int;
  return ET_STATUS_OK;
}

static et_status read_step(search *s) {
  et_record where;
  s->has_next = false;
  if (s->left == 0) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(take_int(s, &s->next.instruction));
  ET_RETURN_IF_ERROR(take(s, ET_RECORD_STRING, &where));
  s->next.where = where.u.as_string;
  ET_RETURN_IF_ERROR(take_int(s, &s->next.result_count));
  s->has_next = true;
  return ET_STATUS_OK;
}

/* Starts a call after its inputs are read. Its steps follow in the file. */
static et_status begin_call(search *s) {
  et_record quantized;
  ET_RETURN_IF_ERROR(et_calls_output_count(s->results, &s->left, s->error));
  ET_RETURN_IF_ERROR(take(s, ET_RECORD_BOOL, &quantized));
  s->is_quantized = quantized.u.as_bool;
  return read_step(s);
}

/* Copies every `stride`-th element of `tensor`, in C order, to the heap. NULL:
 * no memory. */
static uint8_t *gather(const et_tensor *tensor, size_t count, size_t stride) {
  const size_t size = et_scalar_type_size((int32_t)tensor->dtype);
  uint8_t *elements = malloc(count * size + 1);
  for (size_t i = 0; elements != NULL && i < count; i++) {
    const size_t from = et_compare_offset(i * stride, tensor->sizes,
                                          tensor->strides, tensor->rank);
    memcpy(elements + i * size, (const uint8_t *)tensor->data + from * size,
           size);
  }
  return elements;
}

static void print_place(const search *s, const et_event *event) {
  fprintf(stderr,
          "  the first instruction that differs from PyTorch: %s, number %u\n  "
          "  %.*s\n",
          event->name, (unsigned)event->index, (int)s->next.where.size,
          s->next.where.data != NULL ? s->next.where.data : "");
}

static void report_elements(search *s, const et_event *event,
                            const et_difference *difference,
                            const et_record *expected, size_t stride) {
  print_place(s, event);
  fprintf(stderr,
          "    element %zu is %.9g, expected %.9g; %zu of %zu compared "
          "elements differ\n",
          difference->first_failed * stride, difference->actual,
          difference->expected, difference->failed, expected->numel);
  s->is_found = true;
}

static void report_similarity(search *s, const et_event *event,
                              const et_similarity *similarity) {
  print_place(s, event);
  fprintf(stderr, "    SQNR to PyTorch's result %.2f dB, cosine %.6f\n",
          similarity->sqnr, similarity->cosine);
  s->is_found = true;
}

static void report_kind(search *s, const et_event *event, const char *reason) {
  print_place(s, event);
  fprintf(stderr, "    %s\n", reason);
  s->is_found = true;
}

/* Compares sampled elements. `sampled` is a rank 1 tensor that describes
 * them. */
static void compare_sampled(search *s, const et_event *event,
                            et_tensor *sampled, const et_record *expected,
                            size_t stride) {
  const et_record_steps same = {0, 1, 0, 0};
  const et_value value = {ET_VALUE_TENSOR, {.as_tensor = sampled}};
  et_difference difference;
  et_similarity similarity = {0, 0};
  et_error reason;
  et_error_clear(&reason);
  if (et_compare(&value, expected, s->options->tolerance, &difference,
                 &reason) != ET_STATUS_OK) {
    report_kind(s, event, reason.message);
  } else if (difference.failed != 0 && !s->is_quantized) {
    report_elements(s, event, &difference, expected, stride);
  } else if (difference.failed != 0 &&
             et_similarity_of(sampled, same, expected, &similarity, &reason) ==
                 ET_STATUS_OK &&
             !(similarity.sqnr >= s->options->least.sqnr)) {
    report_similarity(s, event, &similarity);
  }
}

static et_status compare_tensor(search *s, const et_event *event,
                                const et_tensor *actual,
                                const et_record *expected, size_t stride) {
  const size_t count =
      stride == 0 ? 0 : actual->numel / stride + (actual->numel % stride != 0);
  int32_t sizes[] = {(int32_t)count};
  int32_t strides[] = {1};
  uint8_t dim_order[] = {0};
  et_tensor sampled = *actual;
  uint8_t *elements = gather(actual, count, stride);
  if (elements == NULL) {
    return et_fail(s->error, ET_STATUS_OUT_OF_RESOURCES,
                   "out of memory for the comparison of a result");
  }
  sampled.data = elements;
  sampled.sizes = sizes;
  sampled.strides = strides;
  sampled.dim_order = dim_order;
  sampled.numel = count;
  sampled.rank = 1;
  compare_sampled(s, event, &sampled, expected, stride);
  free(elements);
  return ET_STATUS_OK;
}

/* Returns result `index` of `count`: one of the last arguments, or an item of
 * the last one. */
static const et_value *result_at(const et_event *event, size_t index,
                                 size_t count) {
  const et_value *last =
      event->arg_count != 0 ? event->args[event->arg_count - 1] : NULL;
  if (last != NULL && last->tag == ET_VALUE_TENSOR_LIST) {
    return last->u.as_list.size == count ? last->u.as_list.items[index] : NULL;
  }
  return event->arg_count >= count
             ? event->args[event->arg_count - count + index]
             : NULL;
}

static et_status compare_results(search *s, const et_event *event) {
  for (int64_t i = 0; i < s->next.result_count; i++) {
    et_record expected;
    int64_t stride = 0;
    ET_RETURN_IF_ERROR(take_int(s, &stride));
    ET_RETURN_IF_ERROR(take(s, ET_RECORD_TENSOR, &expected));
    const et_value *actual =
        result_at(event, (size_t)i, (size_t)s->next.result_count);
    if (!s->is_found && actual != NULL && actual->tag == ET_VALUE_TENSOR) {
      ET_RETURN_IF_ERROR(compare_tensor(s, event, actual->u.as_tensor,
                                        &expected, (size_t)stride));
    }
  }
  s->agreed++;
  return read_step(s);
}

static bool is_call(const et_event *event) {
  return event->kind == ET_EVENT_KERNEL || event->kind == ET_EVENT_DELEGATE;
}

static void begin(void *context, const et_event *event) {
  (void)context;
  (void)event;
}

/* Steps are in execution order, and exclude the instructions of loops. */
static void end(void *context, const et_event *event, et_status status) {
  search *s = context;
  if (!s->is_on || s->is_found || s->status != ET_STATUS_OK ||
      status != ET_STATUS_OK || !is_call(event)) {
    return;
  }
  if (!s->has_begun) {
    s->has_begun = true;
    s->status = begin_call(s);
  }
  if (s->status == ET_STATUS_OK && s->has_next &&
      s->next.instruction == (int64_t)event->index) {
    s->status = compare_results(s, event);
  }
}

static void print_none(const search *s) {
  if (!s->is_found && s->is_quantized) {
    fprintf(stderr,
            "  all %u instructions that PyTorch also ran agree with it to %.1f "
            "dB; rounding differences accumulate, or the deviation is in an "
            "instruction that only the runtime has\n",
            (unsigned)s->agreed, s->options->least.sqnr);
  } else if (!s->is_found) {
    fprintf(stderr,
            "  all %u instructions that PyTorch also ran agree with it; the "
            "deviation is in the compiled program, or in an instruction that "
            "only the runtime has\n",
            (unsigned)s->agreed);
  }
}

/* Runs the earlier calls too, because they change mutable buffers. */
static et_status make_calls(et_session *session, search *s, et_calls calls,
                            uint32_t last) {
  for (uint32_t i = 0; i <= last && calls.calls_left != 0; i++) {
    et_call call;
    uint32_t outputs = 0;
    et_status status = ET_STATUS_OK;
    et_error reason;
    et_error_clear(&reason);
    et_calls here;
    ET_RETURN_IF_ERROR(et_calls_next(&calls, &call, s->error));
    here = calls;
    ET_RETURN_IF_ERROR(et_session_skip(&here, call.input_count, s->error));
    s->results = &here;
    s->is_on = i == last;
    ET_RETURN_IF_ERROR(
        et_session_call(session, &call, &calls, &status, &reason, s->error));
    ET_RETURN_IF_ERROR(s->status);
    ET_RETURN_IF_ERROR(et_calls_output_count(&calls, &outputs, s->error));
    ET_RETURN_IF_ERROR(et_session_skip(&calls, outputs, s->error));
  }
  return ET_STATUS_OK;
}

et_status et_deviation_print(const et_program *program, et_span steps_file,
                             uint32_t call, const et_registry *registry,
                             const et_replay_options *options,
                             et_error *error) {
  search s = {.options = options, .error = error};
  const et_observer observer = ET_OBSERVER(&s, begin, end);
  et_session session = {.program = program,
                        .registry = registry,
                        .shared_memory_id = options->shared_memory_id,
                        .observer = &observer};
  et_calls calls;
  ET_RETURN_IF_ERROR(et_calls_open(steps_file, &calls, error));
  et_status status = et_session_load(&session, calls, error);
  if (status == ET_STATUS_OK) {
    status = make_calls(&session, &s, calls, call);
  }
  et_session_end(&session);
  if (status == ET_STATUS_OK) {
    print_none(&s);
  }
  return status;
}
