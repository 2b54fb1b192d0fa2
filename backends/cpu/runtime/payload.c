#include "backends/cpu/runtime/payload.h"

#include "executorch/checked.h"
#include "executorch/scalar_type.h"
#include "executorch/tensor.h"

#define HEADER_WORDS 11
#define DIM_WORDS 4
#define VALUE_WORDS 6 /* without dims */
#define DATA_WORDS 3
#define OP_WORDS 6 /* without lists */

/* Maximum product of the number of values and the number of named data. build.c compares each pair
 * once, which takes up to a tenth of a second. */
#define MAX_PLACINGS (UINT64_C(1) << 26)

static et_status fail_end(et_error *error, const char *section,
                          uint32_t index) {
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                 "payload: %s[%u] is truncated", section, (unsigned)index);
}

static et_status fail_word(et_error *error, const char *section, uint32_t index,
                           const char *field, uint32_t found) {
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                 "payload: %s[%u]: invalid %s %u", section, (unsigned)index,
                 field, (unsigned)found);
}

/* Advances *at by `count` words. Returns false if the payload has fewer. */
static bool skip(const et_cpu_payload *payload, size_t *at, uint64_t count) {
  if (count > payload->words - *at) {
    return false;
  }
  *at += (size_t)count;
  return true;
}

et_cpu_dim et_cpu_dim_at(const et_cpu_payload *payload, uint32_t index) {
  const size_t at = HEADER_WORDS + (size_t)index * DIM_WORDS;
  const et_cpu_dim dim = {
      et_cpu_word(payload, at), et_cpu_word(payload, at + 1),
      et_cpu_word(payload, at + 2), et_cpu_word(payload, at + 3)};
  return dim;
}

et_cpu_data et_cpu_data_at(const et_cpu_payload *payload, uint32_t index) {
  const size_t at = payload->data_at + (size_t)index * DATA_WORDS;
  const uint8_t *keys = payload->bytes + 4 * payload->keys_at;
  const et_cpu_data data = {{(const char *)keys + et_cpu_word(payload, at),
                             et_cpu_word(payload, at + 1)},
                            et_cpu_word(payload, at + 2)};
  return data;
}

bool et_cpu_read_value(const et_cpu_payload *payload, size_t *at,
                       et_cpu_value *out) {
  const size_t from = *at;
  if (!skip(payload, at, VALUE_WORDS)) {
    return false;
  }
  out->dtype = et_cpu_word(payload, from);
  out->rank = et_cpu_word(payload, from + 1);
  out->place = et_cpu_word(payload, from + 2);
  out->index = et_cpu_word(payload, from + 3);
  out->offset = et_cpu_word(payload, from + 4);
  out->order = et_cpu_word(payload, from + 5);
  out->dims_at = *at;
  return skip(payload, at, out->rank);
}

bool et_cpu_read_op(const et_cpu_payload *payload, size_t *at,
                    et_cpu_op_record *out) {
  const size_t from = *at;
  if (!skip(payload, at, OP_WORDS)) {
    return false;
  }
  out->kind = et_cpu_word(payload, from);
  out->input_count = et_cpu_word(payload, from + 1);
  out->output_count = et_cpu_word(payload, from + 2);
  out->workspace_count = et_cpu_word(payload, from + 3);
  out->dim_count = et_cpu_word(payload, from + 4);
  out->attribute_count = et_cpu_word(payload, from + 5);
  const uint64_t tensors =
      (uint64_t)out->input_count + out->output_count + out->workspace_count;
  out->tensor_count = (uint32_t)tensors;
  out->tensors_at = *at;
  out->dims_at = *at + (size_t)tensors;
  out->attributes_at = out->dims_at + out->dim_count;
  return skip(payload, at, tensors + out->dim_count + out->attribute_count);
}

static et_status check_dim(const et_cpu_payload *payload, uint32_t index,
                           et_error *error) {
  const et_cpu_dim dim = et_cpu_dim_at(payload, index);
  const bool is_argument =
      dim.op == ET_CPU_DIM_SIZE || dim.op == ET_CPU_DIM_INT;
  const bool is_binary = dim.op >= ET_CPU_DIM_ADD && dim.op <= ET_CPU_DIM_MAX;
  if (!is_argument && !is_binary && dim.op != ET_CPU_DIM_CONST) {
    return fail_word(error, "dims", index, "op", dim.op);
  }
  if (dim.maximum > INT32_MAX ||
      (dim.op == ET_CPU_DIM_CONST && dim.a != dim.maximum)) {
    return fail_word(error, "dims", index, "maximum", dim.maximum);
  }
  if ((is_argument && dim.a >= payload->input_count) ||
      (is_binary && dim.a >= index)) {
    return fail_word(error, "dims", index, "a", dim.a);
  }
  if ((dim.op == ET_CPU_DIM_SIZE && dim.b >= ET_MAX_RANK) ||
      (is_binary && dim.b >= index)) {
    return fail_word(error, "dims", index, "b", dim.b);
  }
  return ET_STATUS_OK;
}

/* Returns the number of valid indices of a place. */
static uint32_t place_count(const et_cpu_payload *payload, uint32_t place) {
  const uint32_t counts[] = {payload->input_count, payload->output_count, 1,
                             payload->data_count, payload->input_count};
  return place < sizeof counts / sizeof *counts ? counts[place] : 0;
}

static et_status check_value(const et_cpu_payload *payload, uint32_t index,
                             const et_cpu_value *value, et_error *error) {
  const bool is_argument =
      value->place != ET_CPU_SCRATCH && value->place != ET_CPU_DATA;
  if (value->rank > ET_CPU_MAX_RANK) {
    return fail_word(error, "values", index, "rank", value->rank);
  }
  const size_t size = et_scalar_type_size((int32_t)value->dtype);
  if (size == 0) {
    return fail_word(error, "values", index, "dtype", value->dtype);
  }
  if (value->index >= place_count(payload, value->place)) {
    return fail_word(error, "values", index, "index", value->index);
  }
  if (value->offset % size != 0 || (is_argument && value->offset != 0)) {
    return fail_word(error, "values", index, "offset", value->offset);
  }
  for (uint32_t i = 0; i < value->rank; i++) {
    const uint32_t dim = et_cpu_word(payload, value->dims_at + i);
    if (dim >= payload->dim_count) {
      return fail_word(error, "values", index, "dim", dim);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_data(const et_cpu_payload *payload, uint32_t index,
                            et_error *error) {
  const size_t at = payload->data_at + (size_t)index * DATA_WORDS;
  const uint32_t offset = et_cpu_word(payload, at);
  return et_range_in(offset, et_cpu_word(payload, at + 1), payload->key_bytes)
             ? ET_STATUS_OK
             : fail_word(error, "data", index, "key offset", offset);
}

static et_status check_refs(const et_cpu_payload *payload, uint32_t index,
                            const et_cpu_op_record *record, et_error *error) {
  for (uint32_t i = 0; i < record->tensor_count; i++) {
    const uint32_t value = et_cpu_word(payload, record->tensors_at + i);
    if (value >= payload->value_count) {
      return fail_word(error, "ops", index, "value", value);
    }
  }
  for (uint32_t i = 0; i < record->dim_count; i++) {
    const uint32_t dim = et_cpu_word(payload, record->dims_at + i);
    if (dim >= payload->dim_count) {
      return fail_word(error, "ops", index, "dim", dim);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_record(et_cpu_payload *payload, uint32_t index,
                              const et_cpu_op_record *record, et_error *error) {
  if (record->tensor_count > UINT16_MAX) {
    return fail_word(error, "ops", index, "number of values",
                     record->tensor_count);
  }
  if (record->dim_count > UINT16_MAX) {
    return fail_word(error, "ops", index, "number of dims", record->dim_count);
  }
  if (record->attribute_count > UINT16_MAX) {
    return fail_word(error, "ops", index, "number of attributes",
                     record->attribute_count);
  }
  payload->tensor_refs += record->tensor_count;
  payload->dim_refs += record->dim_count;
  payload->attribute_words += record->attribute_count;
  return check_refs(payload, index, record, error);
}

static et_status check_dims(const et_cpu_payload *payload, size_t *at,
                            et_error *error) {
  for (uint32_t i = 0; i < payload->dim_count; i++) {
    if (!skip(payload, at, DIM_WORDS)) {
      return fail_end(error, "dims", i);
    }
    ET_RETURN_IF_ERROR(check_dim(payload, i, error));
  }
  return ET_STATUS_OK;
}

static et_status check_values(et_cpu_payload *payload, size_t *at,
                              et_error *error) {
  for (uint32_t i = 0; i < payload->value_count; i++) {
    et_cpu_value value;
    if (!et_cpu_read_value(payload, at, &value)) {
      return fail_end(error, "values", i);
    }
    ET_RETURN_IF_ERROR(check_value(payload, i, &value, error));
    if (value.place == ET_CPU_STATE && value.index < payload->first_state) {
      payload->first_state = value.index;
    }
  }
  return ET_STATUS_OK;
}

/* Checks the records of all named data. */
static et_status check_datas(const et_cpu_payload *payload, size_t *at,
                             et_error *error) {
  if ((uint64_t)payload->data_count * payload->value_count > MAX_PLACINGS) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "payload: %u data entries for %u values are too many",
                   (unsigned)payload->data_count,
                   (unsigned)payload->value_count);
  }
  for (uint32_t i = 0; i < payload->data_count; i++) {
    if (!skip(payload, at, DATA_WORDS)) {
      return fail_end(error, "data", i);
    }
    ET_RETURN_IF_ERROR(check_data(payload, i, error));
  }
  return ET_STATUS_OK;
}

static et_status check_records(et_cpu_payload *payload, size_t *at,
                               et_error *error) {
  for (uint32_t i = 0; i < payload->op_count; i++) {
    et_cpu_op_record record;
    if (!et_cpu_read_op(payload, at, &record)) {
      return fail_end(error, "ops", i);
    }
    ET_RETURN_IF_ERROR(check_record(payload, i, &record, error));
  }
  return ET_STATUS_OK;
}

static et_status fail_header(et_error *error, const char *reason) {
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, "payload: %s", reason);
}

static et_status read_header(et_span bytes, et_error *error,
                             et_cpu_payload *out) {
  *out = (et_cpu_payload){.bytes = bytes.data, .words = bytes.size / 4};
  if (out->words < HEADER_WORDS || et_cpu_word(out, 0) != ET_CPU_MAGIC) {
    return fail_header(error, "not a payload of this backend");
  }
  if (et_cpu_word(out, 1) != ET_CPU_VERSION) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "payload: version %u; this runtime reads version %u",
                   (unsigned)et_cpu_word(out, 1), ET_CPU_VERSION);
  }
  if (et_cpu_word(out, 2) != out->words || bytes.size % 4 != 0) {
    return fail_header(error, "size does not match the header");
  }
  out->input_count = et_cpu_word(out, 3);
  out->first_state = out->input_count;
  out->output_count = et_cpu_word(out, 4);
  out->dim_count = et_cpu_word(out, 5);
  out->value_count = et_cpu_word(out, 6);
  out->data_count = et_cpu_word(out, 7);
  out->op_count = et_cpu_word(out, 8);
  out->scratch_bytes = et_cpu_word(out, 9);
  out->key_bytes = et_cpu_word(out, 10);
  return ET_STATUS_OK;
}

et_status et_cpu_payload_open(et_span bytes, et_error *error,
                              et_cpu_payload *out) {
  size_t at = HEADER_WORDS;
  ET_RETURN_IF_ERROR(read_header(bytes, error, out));
  if (out->input_count > ET_CPU_MAX_ARGUMENTS ||
      out->output_count > ET_CPU_MAX_ARGUMENTS) {
    return fail_header(error, "too many arguments");
  }
  ET_RETURN_IF_ERROR(check_dims(out, &at, error));
  out->values_at = at;
  ET_RETURN_IF_ERROR(check_values(out, &at, error));
  out->data_at = at;
  ET_RETURN_IF_ERROR(check_datas(out, &at, error));
  out->ops_at = at;
  ET_RETURN_IF_ERROR(check_records(out, &at, error));
  out->keys_at = at;
  const size_t left = out->words - at;
  return ((uint64_t)out->key_bytes + 3) / 4 == left
             ? ET_STATUS_OK
             : fail_header(error, "keys do not end at the payload's end");
}
