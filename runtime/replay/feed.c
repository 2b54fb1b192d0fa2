#include "runtime/replay/feed.h"

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
