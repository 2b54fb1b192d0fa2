#include <stdbool.h>

#include "executorch/checked.h"
#include "executorch/value.h"
#include "runtime/core/error.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"
#include "runtime/program/verify.h"

/* Checks a list: items are existing values of the list's item kind. A list can
 * therefore not contain a list. */
static et_status check_list(const et_plan_check *check, uint32_t index,
                            et_fb_table list, uint8_t list_tag) {
  const bool is_wide = list_tag == ET_VALUE_INT_LIST;
  const uint8_t tag = is_wide ? ET_VALUE_INT : ET_VALUE_TENSOR;
  const et_fb_vector items = et_tables_vector(list, ET_SINGLE_FIELD);
  for (uint32_t i = 0; i < et_fb_count(items); i++) {
    const int64_t target =
        is_wide ? et_fb_i64_at(items, i) : et_fb_i32_at(items, i);
    et_fb_table held;
    if (list_tag == ET_VALUE_OPTIONAL_TENSOR_LIST && target == -1) {
      continue;
    }
    if ((uint64_t)target >= check->value_count) {
      return et_fail_program(
          check->error,
          "values[%u].items[%u] = %lld is out of range for %u values",
          (unsigned)index, (unsigned)i, (long long)target,
          (unsigned)check->value_count);
    }
    const uint8_t found =
        et_tables_value(check->values, (uint32_t)target, &held);
    if (found != tag) {
      return et_fail_program(check->error,
                             "values[%u].items[%u] is %s, expected %s",
                             (unsigned)index, (unsigned)i,
                             et_value_tag_name(found), et_value_tag_name(tag));
    }
  }
  return ET_STATUS_OK;
}

static et_status check_planned_bytes(const et_plan_check *check, uint32_t index,
                                     const et_tensor_record *record) {
  const uint32_t id = record->memory_id;
  if (id == 0 || id > et_tables_planned_count(check->plan)) {
    return et_fail_program(check->error,
                           "values[%u]: memory id %u does not exist",
                           (unsigned)index, (unsigned)id);
  }
  const int64_t bytes = et_tables_planned_bytes(check->plan, id - 1);
  if (!et_range_in(record->memory_offset, record->nbytes, (uint64_t)bytes)) {
    return et_fail_program(
        check->error,
        "values[%u]: %zu bytes at %llu exceed the %lld bytes of memory id %u",
        (unsigned)index, record->nbytes,
        (unsigned long long)record->memory_offset, (long long)bytes,
        (unsigned)id);
  }
  if (!et_tensor_record_fits_at(record, record->memory_offset)) {
    return et_fail_program(
        check->error, "values[%u]: offset %llu is not aligned to %zu",
        (unsigned)index, (unsigned long long)record->memory_offset,
        et_scalar_type_size(record->dtype));
  }
  return ET_STATUS_OK;
}

/* Checks the initial bytes of a tensor: its constant, or the initial state of a
 * mutable buffer if it is planned. */
static et_status check_initial_bytes(const et_plan_check *check, uint32_t index,
                                     const et_tensor_record *record) {
  et_piece piece;
  if (!et_tensor_record_data(check->program, record, &piece)) {
    return et_fail_program(
        check->error,
        "values[%u]: data_buffer_idx %u does not have %zu bytes in its segment",
        (unsigned)index, (unsigned)record->data_buffer, record->nbytes);
  }
  /* State is copied; constants are used in place. */
  if (!record->is_planned && piece.size != 0 &&
      !et_tensor_record_fits_at(record, piece.offset)) {
    return et_fail_program(check->error,
                           "values[%u]: the constant is not aligned to %zu",
                           (unsigned)index, et_scalar_type_size(record->dtype));
  }
  return ET_STATUS_OK;
}

static et_status check_tensor(const et_plan_check *check, uint32_t index,
                              et_fb_table table) {
  et_tensor_record record;
  const et_status status = et_tensor_record_read(table, &record, check->error);
  if (status != ET_STATUS_OK) {
    return et_fail_within(check->error, status,
                          "values[%u]: ", (unsigned)index);
  }
  if (record.is_planned) {
    ET_RETURN_IF_ERROR(check_planned_bytes(check, index, &record));
  }
  if (record.data_buffer != 0 && !record.is_external) {
    return check_initial_bytes(check, index, &record);
  }
  return ET_STATUS_OK;
}

static et_status check_value(const et_plan_check *check, uint32_t index) {
  et_fb_table held;
  const uint8_t tag = et_tables_value(check->values, index, &held);
  switch (tag) {
    case ET_VALUE_TENSOR:
      return check_tensor(check, index, held);
    case ET_VALUE_INT_LIST:
    case ET_VALUE_TENSOR_LIST:
    case ET_VALUE_OPTIONAL_TENSOR_LIST:
      return check_list(check, index, held, tag);
    default:
      return ET_STATUS_OK;
  }
}

et_status et_verify_values(const et_plan_check *check) {
  for (uint32_t i = 0; i < check->value_count; i++) {
    ET_RETURN_IF_ERROR(check_value(check, i));
  }
  return ET_STATUS_OK;
}
