#include "runtime/core/reason.h"
#include "runtime/method/check.h"
#include "runtime/program/external.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

static et_status check_supported(const et_builder *builder, uint32_t index,
                                 const et_tensor_record *record) {
  const et_fb_table extra = et_fb_child(record->table, ET_TENSOR_EXTRA);
  if (et_scalar_type_size(record->dtype) == 0) {
    return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                   "values[%u]: the runtime does not support this dtype",
                   (unsigned)index);
  }
  if (record->dynamism == ET_SHAPE_DYNAMIC_UNBOUND) {
    return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                   "values[%u]: the shape does not have an upper bound",
                   (unsigned)index);
  }
  if (et_fb_i8(extra, ET_EXTRA_DEVICE_TYPE) != 0) {
    return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                   "values[%u]: the tensor is on a device other than the CPU",
                   (unsigned)index);
  }
  return ET_STATUS_OK;
}

static et_status check_tensor(const et_builder *builder, uint32_t index,
                              et_fb_table table) {
  et_tensor_record record;
  ET_RETURN_IF_ERROR(et_tensor_record_read(table, &record, builder->error));
  if (record.is_external) {
    ET_RETURN_IF_ERROR(
        et_external_check(builder->program, index, &record, builder->error));
  }
  return check_supported(builder, index, &record);
}

static et_status check_devices(const et_builder *builder) {
  const et_fb_vector devices =
      et_tables_vector(builder->plan, ET_PLAN_BUFFER_DEVICES);
  for (uint32_t i = 0; i < et_fb_count(devices); i++) {
    const et_fb_table device = et_fb_child_at(devices, i);
    if (et_fb_i8(device, ET_BUFFER_DEVICE_TYPE) != 0) {
      return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                     "non_const_buffer_device[%u] is not the CPU", (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

et_status et_check_values(const et_builder *builder) {
  for (uint32_t i = 0; i < et_fb_count(builder->values); i++) {
    et_fb_table held;
    if (et_tables_value(builder->values, i, &held) == ET_VALUE_TENSOR) {
      ET_RETURN_IF_ERROR(check_tensor(builder, i, held));
    }
  }
  return check_devices(builder);
}
