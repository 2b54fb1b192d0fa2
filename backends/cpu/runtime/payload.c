#include "backends/cpu/runtime/payload.h"

#include <string.h>

#include "executorch/checked.h"
#include "executorch/scalar_type.h"
#include "executorch/tensor.h"

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

/* Advances *at by `count` words. Returns false if fewer words are left. */
static bool skip(const et_cpu_payload *payload, size_t *at, uint64_t count) {
  if (count > payload->words - *at) {
    return false;
  }
  *at += (size_t)count;
  return true;
}

et_cpu_dim et_cpu_dim_at(const et_cpu_payload *payload, uint32_t index) {
  const size_t at =
      ET_CPU_PAYLOAD_HEADER_WORDS + (size_t)index * ET_CPU_DIM_WORDS;
  uint32_t words[ET_CPU_DIM_WORDS];
  memcpy(words, et_cpu_bytes_at(payload, at), sizeof words);
  return et_cpu_dim_read(words);
}

static et_cpu_data_entry data_entry_at(const et_cpu_payload *payload,
                                       uint32_t index) {
  const size_t at = payload->data_at + (size_t)index * ET_CPU_DATA_ENTRY_WORDS;
  uint32_t words[ET_CPU_DATA_ENTRY_WORDS];
  memcpy(words, et_cpu_bytes_at(payload, at), sizeof words);
  return et_cpu_data_entry_read(words);
}

et_cpu_data et_cpu_data_at(const et_cpu_payload *payload, uint32_t index) {
  const et_cpu_data_entry entry = data_entry_at(payload, index);
  const char *keys = (const char *)payload->bytes + 4 * payload->keys_at;
  const et_cpu_data data = {{keys + entry.key_offset, entry.key_bytes},
                            entry.data_bytes};
  return data;
}

bool et_cpu_read_value(const et_cpu_payload *payload, size_t *at,
                       et_cpu_value *out) {
  const size_t from = *at;
  if (!skip(payload, at, ET_CPU_VALUE_ENTRY_WORDS)) {
    return false;
  }
  uint32_t words[ET_CPU_VALUE_ENTRY_WORDS];
  memcpy(words, et_cpu_bytes_at(payload, from), sizeof words);
  const et_cpu_value_entry value = et_cpu_value_entry_read(words);
  *out = (et_cpu_value){.dtype = value.dtype,
                        .rank = value.rank,
                        .place = value.place,
                        .index = value.index,
                        .offset = value.offset,
                        .order = value.order,
                        .dims_at = *at};
  return skip(payload, at, value.rank);
}

bool et_cpu_read_op(const et_cpu_payload *payload, size_t *at,
                    et_cpu_op_record *out) {
  const size_t from = *at;
  if (!skip(payload, at, ET_CPU_OP_ENTRY_WORDS)) {
    return false;
  }
  uint32_t words[ET_CPU_OP_ENTRY_WORDS];
  memcpy(words, et_cpu_bytes_at(payload, from), sizeof words);
  const et_cpu_op_entry op = et_cpu_op_entry_read(words);
  const uint64_t tensors =
      (uint64_t)op.input_count + op.output_count + op.workspace_count;
  const size_t dims_at = *at + (size_t)tensors;
  *out = (et_cpu_op_record){.kind = op.code,
                            .input_count = op.input_count,
                            .output_count = op.output_count,
                            .workspace_count = op.workspace_count,
                            .dim_count = op.dim_count,
                            .attribute_count = op.attribute_count,
                            .tensor_count = (uint32_t)tensors,
                            .tensors_at = *at,
                            .dims_at = dims_at,
                            .attributes_at = dims_at + op.dim_count};
  return skip(payload, at, tensors + op.dim_count + op.attribute_count);
}

static et_status check_dim(const et_cpu_payload *payload, uint32_t index,
                           et_error *error) {
  const et_cpu_dim dim = et_cpu_dim_at(payload, index);
  const bool is_argument =
      dim.op == ET_CPU_DIM_OP_SIZE || dim.op == ET_CPU_DIM_OP_INT;
  const bool is_binary =
      dim.op >= ET_CPU_DIM_OP_ADD && dim.op <= ET_CPU_DIM_OP_MAX;
  if (!is_argument && !is_binary && dim.op != ET_CPU_DIM_OP_CONST) {
    return fail_word(error, "dims", index, "op", dim.op);
  }
  if (dim.maximum > INT32_MAX ||
      (dim.op == ET_CPU_DIM_OP_CONST && dim.a != dim.maximum)) {
    return fail_word(error, "dims", index, "maximum", dim.maximum);
  }
  if ((is_argument && dim.a >= payload->input_count) ||
      (is_binary && dim.a >= index)) {
    return fail_word(error, "dims", index, "a", dim.a);
  }
  if ((dim.op == ET_CPU_DIM_OP_SIZE && dim.b >= ET_MAX_RANK) ||
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
      value->place != ET_CPU_PLACE_SCRATCH && value->place != ET_CPU_PLACE_DATA;
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
  const et_cpu_data_entry entry = data_entry_at(payload, index);
  return et_range_in(entry.key_offset, entry.key_bytes, payload->key_bytes)
             ? ET_STATUS_OK
             : fail_word(error, "data", index, "key offset", entry.key_offset);
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
    if (!skip(payload, at, ET_CPU_DIM_WORDS)) {
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
    if (value.place == ET_CPU_PLACE_STATE &&
        value.index < payload->first_state) {
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
                   "payload: too many data entries: %u for %u values",
                   (unsigned)payload->data_count,
                   (unsigned)payload->value_count);
  }
  for (uint32_t i = 0; i < payload->data_count; i++) {
    if (!skip(payload, at, ET_CPU_DATA_ENTRY_WORDS)) {
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
  if (out->words < ET_CPU_PAYLOAD_HEADER_WORDS) {
    return fail_header(error, "not a payload of this backend");
  }
  uint32_t words[ET_CPU_PAYLOAD_HEADER_WORDS];
  memcpy(words, et_cpu_bytes_at(out, 0), sizeof words);
  const et_cpu_payload_header header = et_cpu_payload_header_read(words);
  if (header.magic != ET_CPU_MAGIC) {
    return fail_header(error, "not a payload of this backend");
  }
  if (header.version != ET_CPU_VERSION) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "payload: version %u; this runtime reads version %d",
                   (unsigned)header.version, ET_CPU_VERSION);
  }
  if (header.total_words != out->words || bytes.size % 4 != 0) {
    return fail_header(error, "size does not match the header");
  }
  out->input_count = header.input_count;
  out->first_state = header.input_count;
  out->output_count = header.output_count;
  out->dim_count = header.dim_count;
  out->value_count = header.value_count;
  out->data_count = header.data_count;
  out->op_count = header.op_count;
  out->scratch_bytes = header.scratch_bytes;
  out->key_bytes = header.key_bytes;
  return ET_STATUS_OK;
}

et_status et_cpu_payload_open(et_span bytes, et_error *error,
                              et_cpu_payload *out) {
  size_t at = ET_CPU_PAYLOAD_HEADER_WORDS;
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
