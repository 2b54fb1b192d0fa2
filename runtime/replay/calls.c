#include "runtime/replay/calls.h"

#include <string.h>

#include "executorch/checked.h"

#define MAGIC "ETCL"
#define VERSION 1

static et_status fail_calls(et_error *error, const char *reason) {
  return et_fail(error, ET_STATUS_INVALID_EXTERNAL_DATA, ET_CALLS_FAULT "%s",
                 reason);
}

static et_status take(et_calls *calls, uint64_t size, et_span *out,
                      et_error *error) {
  if (size > calls->rest.size) {
    return fail_calls(error, "the file is truncated");
  }
  out->data = calls->rest.data;
  out->size = (size_t)size;
  calls->rest.data += size;
  calls->rest.size -= (size_t)size;
  return ET_STATUS_OK;
}

/* Reads a value of `size` bytes. */
static et_status take_into(et_calls *calls, void *out, size_t size,
                           et_error *error) {
  et_span bytes = {NULL, 0};
  ET_RETURN_IF_ERROR(take(calls, size, &bytes, error));
  if (size != 0) {
    memcpy(out, bytes.data, size);
  }
  return ET_STATUS_OK;
}

static et_status take_string(et_calls *calls, et_string *out, et_error *error) {
  uint32_t size = 0;
  et_span bytes = {NULL, 0};
  ET_RETURN_IF_ERROR(take_into(calls, &size, sizeof size, error));
  ET_RETURN_IF_ERROR(take(calls, size, &bytes, error));
  out->data = (const char *)bytes.data;
  out->size = bytes.size;
  return ET_STATUS_OK;
}

et_status et_calls_open(et_span file, et_calls *out_calls, et_error *error) {
  const et_calls calls = {file, 0};
  et_span magic = {NULL, 0};
  uint32_t version = 0;
  *out_calls = calls;
  ET_RETURN_IF_ERROR(take(out_calls, 4, &magic, error));
  if (memcmp(magic.data, MAGIC, 4) != 0) {
    return fail_calls(error, "the file does not start with '" MAGIC "'");
  }
  ET_RETURN_IF_ERROR(take_into(out_calls, &version, sizeof version, error));
  if (version != VERSION) {
    return fail_calls(error, "the version is not 1");
  }
  return take_into(out_calls, &out_calls->calls_left,
                   sizeof out_calls->calls_left, error);
}

et_status et_calls_next(et_calls *calls, et_call *out_call, et_error *error) {
  et_string method;
  ET_RETURN_IF_ERROR(take_string(calls, &method, error));
  if (method.size >= sizeof out_call->method) {
    return fail_calls(error, "the name of a method is too long");
  }
  memset(out_call, 0, sizeof *out_call);
  if (method.size != 0) {
    memcpy(out_call->method, method.data, method.size);
  }
  ET_RETURN_IF_ERROR(take_into(calls, &out_call->expected_status,
                               sizeof out_call->expected_status, error));
  calls->calls_left--;
  return take_into(calls, &out_call->input_count, sizeof out_call->input_count,
                   error);
}

et_status et_calls_output_count(et_calls *calls, uint32_t *out_count,
                                et_error *error) {
  return take_into(calls, out_count, sizeof *out_count, error);
}

static et_status take_shape(et_calls *calls, et_record *record,
                            et_error *error) {
  uint8_t dtype = 0;
  ET_RETURN_IF_ERROR(take_into(calls, &dtype, 1, error));
  ET_RETURN_IF_ERROR(take_into(calls, &record->rank, 1, error));
  if (et_scalar_type_size(dtype) == 0 || record->rank > ET_MAX_RANK) {
    return fail_calls(error, "a tensor has an unknown dtype or too many dims");
  }
  record->dtype = (et_scalar_type)dtype;
  ET_RETURN_IF_ERROR(take_into(calls, record->sizes,
                               record->rank * sizeof *record->sizes, error));
  ET_RETURN_IF_ERROR(take_into(calls, record->dim_order, record->rank, error));
  return et_tensor_layout(record->sizes, record->dim_order, record->rank,
                          record->strides, &record->numel, error);
}

static et_status take_tensor(et_calls *calls, et_record *record,
                             et_error *error) {
  uint64_t size = 0;
  size_t expected = 0;
  ET_RETURN_IF_ERROR(take_shape(calls, record, error));
  ET_RETURN_IF_ERROR(take_into(calls, &size, sizeof size, error));
  if (!et_checked_mul(record->numel,
                      et_scalar_type_size((int32_t)record->dtype), &expected) ||
      size != expected) {
    return fail_calls(error, "a tensor's bytes do not match its sizes");
  }
  return take(calls, size, &record->bytes, error);
}

static et_status take_bool(et_calls *calls, et_record *record,
                           et_error *error) {
  uint8_t byte = 0;
  ET_RETURN_IF_ERROR(take_into(calls, &byte, 1, error));
  record->u.as_bool = byte != 0;
  return ET_STATUS_OK;
}

et_status et_calls_record(et_calls *calls, et_record *out_record,
                          et_error *error) {
  uint8_t kind = 0;
  memset(out_record, 0, sizeof *out_record);
  ET_RETURN_IF_ERROR(take_into(calls, &kind, 1, error));
  out_record->kind = (et_record_kind)kind;
  switch (kind) {
    case ET_RECORD_NONE:
      return ET_STATUS_OK;
    case ET_RECORD_TENSOR:
      return take_tensor(calls, out_record, error);
    case ET_RECORD_INT:
      return take_into(calls, &out_record->u.as_int, sizeof(int64_t), error);
    case ET_RECORD_BOOL:
      return take_bool(calls, out_record, error);
    case ET_RECORD_DOUBLE:
      return take_into(calls, &out_record->u.as_double, sizeof(double), error);
    case ET_RECORD_STRING:
      return take_string(calls, &out_record->u.as_string, error);
    case ET_RECORD_QUANTIZED:
      return take_into(calls, &out_record->u.as_steps, sizeof(et_record_steps),
                       error);
    default:
      return fail_calls(error, "a value has an unknown type");
  }
}
