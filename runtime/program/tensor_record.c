#include "runtime/program/tensor_record.h"

#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"
#include "runtime/program/external.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Codes 0 to 29 are assigned; this runtime does not know all of them. */
#define MAX_SCALAR_TYPE_CODE 29

static et_status read_shape(et_fb_table table, et_tensor_record *record,
                            et_error *error) {
  const et_fb_vector sizes = et_fb_list(table, ET_TENSOR_SIZES);
  const et_fb_vector dim_order = et_fb_list(table, ET_TENSOR_DIM_ORDER);
  if (et_fb_count(sizes) > ET_MAX_RANK) {
    return et_fail_program(error, "%u sizes exceed the limit of %d",
                           (unsigned)et_fb_count(sizes), ET_MAX_RANK);
  }
  if (et_fb_count(sizes) != et_fb_count(dim_order)) {
    return et_fail_program(error, "%u sizes but %u entries of dim_order",
                           (unsigned)et_fb_count(sizes),
                           (unsigned)et_fb_count(dim_order));
  }
  record->rank = et_fb_count(sizes);
  record->dim_order = et_fb_first(dim_order);
  memcpy(record->sizes, et_fb_first(sizes),
         record->rank * sizeof *record->sizes);
  return et_tensor_layout(record->sizes, record->dim_order, record->rank,
                          record->strides, &record->numel, error);
}

static void read_allocation(et_fb_table table, et_tensor_record *record) {
  const et_fb_table allocation = et_fb_child(table, ET_TENSOR_ALLOCATION);
  const uint64_t high = et_fb_u32(allocation, ET_ALLOCATION_OFFSET_HIGH);
  record->is_planned = allocation != ET_FB_ABSENT_TABLE;
  record->memory_id = et_fb_u32(allocation, ET_ALLOCATION_MEMORY_ID);
  record->memory_offset =
      high << 32 | et_fb_u32(allocation, ET_ALLOCATION_OFFSET_LOW);
}

static et_status check_kind(const et_tensor_record *record, int8_t location,
                            et_error *error) {
  const et_fb_table table = record->table;
  if (record->dtype < 0 || record->dtype > MAX_SCALAR_TYPE_CODE) {
    return et_fail_program(error, "scalar_type %d is unknown",
                           (int)record->dtype);
  }
  if (record->dynamism < 0 || record->dynamism > ET_SHAPE_DYNAMIC_UNBOUND) {
    return et_fail_program(error, "shape_dynamism %d is unknown",
                           (int)record->dynamism);
  }
  if (et_fb_i8(table, ET_TENSOR_LAYOUT) != 0) {
    return et_fail_program(error, "the layout is not strided");
  }
  if (location != ET_DATA_IN_SEGMENT && location != ET_DATA_EXTERNAL) {
    return et_fail_program(error, "extra_tensor_info.location %d is unknown",
                           (int)location);
  }
  if (et_fb_i32(table, ET_TENSOR_STORAGE_OFFSET) != 0) {
    return et_fail(error, ET_STATUS_NOT_SUPPORTED,
                   "storage_offset is not 0; call contiguous() in the model");
  }
  return ET_STATUS_OK;
}

et_status et_tensor_record_read(et_fb_table table, et_tensor_record *out_record,
                                et_error *error) {
  out_record->table = table;
  const et_fb_table extra = et_fb_child(table, ET_TENSOR_EXTRA);
  const int8_t location = et_fb_i8(extra, ET_EXTRA_LOCATION);
  out_record->dtype = et_fb_i8(table, ET_TENSOR_SCALAR_TYPE);
  out_record->dynamism = et_fb_i8(table, ET_TENSOR_DYNAMISM);
  out_record->data_buffer = et_fb_u32(table, ET_TENSOR_DATA_BUFFER);
  out_record->is_external = location == ET_DATA_EXTERNAL;
  out_record->has_data =
      out_record->is_external || out_record->data_buffer != 0;
  read_allocation(table, out_record);
  ET_RETURN_IF_ERROR(check_kind(out_record, location, error));
  ET_RETURN_IF_ERROR(read_shape(table, out_record, error));
  if (!et_checked_mul(out_record->numel, et_scalar_type_size(out_record->dtype),
                      &out_record->nbytes)) {
    return et_fail_program(error, "the tensor's size in bytes overflows");
  }
  return ET_STATUS_OK;
}

/* Returns the SubsegmentOffsets table that data_buffer indexes. */
static et_fb_table data_table(const et_program *program,
                              const et_tensor_record *record) {
  const et_fb_table root = et_tables_root(program);
  if (!record->is_planned) {
    return et_fb_child(root, ET_PROGRAM_CONSTANT_SEGMENT);
  }
  const et_fb_vector tables =
      et_tables_vector(root, ET_PROGRAM_MUTABLE_DATA_SEGMENTS);
  const et_fb_table extra = et_fb_child(record->table, ET_TENSOR_EXTRA);
  const uint64_t index = et_fb_u64(extra, ET_EXTRA_MUTABLE_SEGMENT);
  return et_fb_child_at(tables, index < et_fb_count(tables) ? (uint32_t)index
                                                            : UINT32_MAX);
}

bool et_tensor_record_data(const et_program *program,
                           const et_tensor_record *record, et_piece *out) {
  if (record->is_external) {
    return et_external_tensor(program, record, out);
  }
  const et_fb_table table = data_table(program, record);
  return et_tables_subsegment(program, table, record->data_buffer,
                              record->nbytes, out);
}
