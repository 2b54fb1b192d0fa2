#include "runtime/replay/session.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/replay/compare.h"

static et_value scalar_value(const et_record *record) {
  et_value value = {ET_VALUE_NONE, {0}};
  switch (record->kind) {
    case ET_RECORD_INT:
      value.tag = ET_VALUE_INT;
      value.u.as_int = record->u.as_int;
      break;
    case ET_RECORD_BOOL:
      value.tag = ET_VALUE_BOOL;
      value.u.as_bool = record->u.as_bool;
      break;
    case ET_RECORD_DOUBLE:
      value.tag = ET_VALUE_DOUBLE;
      value.u.as_double = record->u.as_double;
      break;
    case ET_RECORD_STRING:
      value.tag = ET_VALUE_STRING;
      value.u.as_string = record->u.as_string;
      break;
    default:
      break;
  }
  return value;
}

static et_status copy_tensor(const et_feed_target *target, uint32_t index,
                             const et_record *record, void **buffer,
                             et_error *error) {
  et_value_meta slot;
  ET_RETURN_IF_ERROR(et_method_meta_input(&target->meta, index, &slot, error));
  free(*buffer);
  *buffer = malloc(record->bytes.size + 1);
  if (*buffer == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL, "out of heap memory");
  }
  if (slot.tag == ET_VALUE_TENSOR && slot.rank == record->rank) {
    et_record_reorder(record, slot.dim_order, *buffer);
  } else if (record->bytes.size != 0) {
    memcpy(*buffer, record->bytes.data, record->bytes.size);
  }
  return ET_STATUS_OK;
}

et_status et_feed_input(const et_feed_target *target, uint32_t index,
                        const et_record *record, void **buffer,
                        et_error *error) {
  if (record->kind != ET_RECORD_TENSOR) {
    const et_value value = scalar_value(record);
    return et_method_set_scalar_input(target->method, index, &value, error);
  }
  ET_RETURN_IF_ERROR(copy_tensor(target, index, record, buffer, error));
  return et_method_set_input(target->method, index, record->dtype,
                             record->sizes, record->rank, *buffer,
                             record->bytes.size, error);
}

static et_status load_method(et_session *s, const char *name, et_error *error) {
  if (s->method_count == ET_SESSION_MAX_METHODS) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "the calls use more than %d methods",
                   ET_SESSION_MAX_METHODS);
  }
  et_session_method *method = &s->methods[s->method_count];
  const bool has_owner = s->shared_memory_id != 0 && s->method_count != 0;
  const et_method_options options = {.random = &s->random,
                                     .observer = s->observer};
  ET_RETURN_IF_ERROR(et_hosted_method_load_sharing(
      s->program, name, s->registry, &options,
      has_owner ? &s->methods[0].hosted : NULL, s->shared_memory_id,
      &method->hosted, error));
  strcpy(method->name, name); /* both arrays have 256 bytes */
  s->method_count++;
  return ET_STATUS_OK;
}

et_method *et_session_method_of(const et_session *session, const char *name) {
  for (size_t i = 0; i < session->method_count; i++) {
    if (strcmp(session->methods[i].name, name) == 0) {
      return session->methods[i].hosted.method;
    }
  }
  return NULL;
}

/* An output of a quantized model has three records; an input is never
 * quantized. */
et_status et_session_skip(et_calls *calls, uint32_t count, et_error *error) {
  for (uint64_t left = count; left > 0; left--) {
    et_record ignored;
    ET_RETURN_IF_ERROR(et_calls_record(calls, &ignored, error));
    left += ignored.kind == ET_RECORD_QUANTIZED ? 2 : 0;
  }
  return ET_STATUS_OK;
}

et_status et_session_load(et_session *session, et_calls calls,
                          et_error *error) {
  session->random = et_random_seeded(0);
  while (calls.calls_left != 0) {
    et_call call;
    uint32_t outputs = 0;
    ET_RETURN_IF_ERROR(et_calls_next(&calls, &call, error));
    if (et_session_method_of(session, call.method) == NULL) {
      ET_RETURN_IF_ERROR(load_method(session, call.method, error));
    }
    ET_RETURN_IF_ERROR(et_session_skip(&calls, call.input_count, error));
    ET_RETURN_IF_ERROR(et_calls_output_count(&calls, &outputs, error));
    ET_RETURN_IF_ERROR(et_session_skip(&calls, outputs, error));
  }
  return ET_STATUS_OK;
}

et_status et_session_call(et_session *session, const et_call *call,
                          et_calls *calls, et_status *out_status,
                          et_error *reason, et_error *error) {
  et_feed_target target = {.method =
                               et_session_method_of(session, call->method)};
  *out_status = ET_STATUS_OK;
  if (call->input_count > ET_SESSION_MAX_INPUTS) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "a call to '%s' has more than %d inputs", call->method,
                   ET_SESSION_MAX_INPUTS);
  }
  ET_RETURN_IF_ERROR(et_program_method_meta(session->program, call->method,
                                            &target.meta, error));
  for (uint32_t i = 0; i < call->input_count; i++) {
    et_record record;
    ET_RETURN_IF_ERROR(et_calls_record(calls, &record, error));
    if (*out_status == ET_STATUS_OK) {
      *out_status =
          et_feed_input(&target, i, &record, &session->inputs[i], reason);
    }
  }
  if (*out_status == ET_STATUS_OK) {
    *out_status = et_method_execute(target.method, reason);
  }
  return ET_STATUS_OK;
}

void et_session_end(et_session *session) {
  for (size_t i = 0; i < ET_SESSION_MAX_INPUTS; i++) {
    free(session->inputs[i]);
  }
  for (size_t i = 0; i < session->method_count; i++) {
    et_hosted_method_free(&session->methods[i].hosted);
  }
}
