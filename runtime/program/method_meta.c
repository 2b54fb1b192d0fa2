#include <string.h>

#include "executorch/program.h"
#include "runtime/program/range_record.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

static et_fb_table plan_of(const et_method_meta *meta) {
  return et_fb_table_at(meta->program->flatbuffer, meta->plan);
}

static size_t end_count(const et_method_meta *meta, uint16_t field) {
  const et_fb_table plan = plan_of(meta);
  return et_tables_count(plan, field);
}

size_t et_method_meta_input_count(const et_method_meta *meta) {
  return end_count(meta, ET_PLAN_INPUTS);
}

size_t et_method_meta_output_count(const et_method_meta *meta) {
  return end_count(meta, ET_PLAN_OUTPUTS);
}

static et_status describe_tensor(et_fb_table table, et_value_meta *out_meta,
                                 et_error *error) {
  et_tensor_record record;
  ET_RETURN_IF_ERROR(et_tensor_record_read(table, &record, error));
  if (et_scalar_type_size(record.dtype) == 0 ||
      record.dynamism == ET_SHAPE_DYNAMIC_UNBOUND) {
    return et_fail(error, ET_STATUS_NOT_SUPPORTED,
                   "scalar_type %d or shape_dynamism %d is not supported; "
                   "export with another dtype, or with bounded dims",
                   (int)record.dtype, (int)record.dynamism);
  }
  out_meta->dtype = (et_scalar_type)record.dtype;
  out_meta->rank = (uint8_t)record.rank;
  out_meta->dynamism = (uint8_t)record.dynamism;
  out_meta->nbytes = record.nbytes;
  out_meta->is_planned = record.is_planned;
  memcpy(out_meta->sizes, record.sizes, record.rank * sizeof *record.sizes);
  memcpy(out_meta->dim_order, record.dim_order, record.rank);
  return ET_STATUS_OK;
}

/* Without a list of ranges, each dimension of a dynamic tensor may be below its
 * bound. */
static void describe_unlisted(et_fb_vector list, et_value_meta *out_meta) {
  const bool varies =
      out_meta->dynamism != ET_SHAPE_STATIC && et_range_count(list) == 0;
  for (size_t d = 0; d < out_meta->rank; d++) {
    out_meta->min_sizes[d] = varies ? 0 : out_meta->sizes[d];
    out_meta->size_steps[d] = varies ? 1 : 0;
  }
}

/* Ignores invalid entries; loading the method reports them. */
static void describe_ranges(et_fb_table plan, uint32_t value,
                            et_value_meta *out_meta) {
  const et_fb_vector list = et_range_list(plan);
  const et_fb_vector values = et_tables_vector(plan, ET_PLAN_VALUES);
  et_range_record record;
  describe_unlisted(list, out_meta);
  for (uint32_t i = et_range_first(list, value); i < et_range_count(list);
       i++) {
    et_range_read(list, i, &record);
    if (record.value != value || !et_range_is_valid(list, i, values)) {
      return;
    }
    if (record.dim < 0) {
      out_meta->min = record.min;
      out_meta->max = record.max;
      out_meta->step = record.step;
    } else {
      out_meta->min_sizes[record.dim] = (int32_t)record.min;
      out_meta->size_steps[record.dim] = (int32_t)record.step;
    }
  }
}

/* Describes input or output `index`. */
static et_status describe_end(const et_method_meta *meta, uint16_t field,
                              size_t index, et_value_meta *out_meta,
                              et_error *error) {
  const et_fb_table plan = plan_of(meta);
  et_error_clear(error);
  const et_fb_vector indices = et_tables_vector(plan, field);
  if (index >= et_fb_count(indices)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "index %zu is out of range; pass one below %u", index,
                   (unsigned)et_fb_count(indices));
  }
  const et_fb_vector values = et_tables_vector(plan, ET_PLAN_VALUES);
  et_fb_table tensor;
  memset(out_meta, 0, sizeof *out_meta);
  const uint32_t value = (uint32_t)et_fb_i32_at(indices, (uint32_t)index);
  out_meta->tag = (et_value_tag)et_tables_value(values, value, &tensor);
  if (out_meta->tag == ET_VALUE_TENSOR) {
    ET_RETURN_IF_ERROR(describe_tensor(tensor, out_meta, error));
  }
  describe_ranges(plan, value, out_meta);
  return ET_STATUS_OK;
}

et_status et_method_meta_input(const et_method_meta *meta, size_t index,
                               et_value_meta *out_meta, et_error *error) {
  return describe_end(meta, ET_PLAN_INPUTS, index, out_meta, error);
}

et_status et_method_meta_output(const et_method_meta *meta, size_t index,
                                et_value_meta *out_meta, et_error *error) {
  return describe_end(meta, ET_PLAN_OUTPUTS, index, out_meta, error);
}

size_t et_method_meta_planned_count(const et_method_meta *meta) {
  const et_fb_table plan = plan_of(meta);
  return et_tables_planned_count(plan);
}

et_status et_method_meta_planned_bytes(const et_method_meta *meta, size_t index,
                                       size_t *out_bytes, et_error *error) {
  const et_fb_table plan = plan_of(meta);
  et_error_clear(error);
  if (index >= et_tables_planned_count(plan)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "index %zu is out of range; pass one below %u", index,
                   (unsigned)et_tables_planned_count(plan));
  }
  *out_bytes = (size_t)et_tables_planned_bytes(plan, (uint32_t)index);
  return ET_STATUS_OK;
}

const char *et_method_meta_conditions(const et_method_meta *meta) {
  const et_fb_table container =
      et_fb_child(plan_of(meta), ET_PLAN_CONTAINER_META);
  const char *text = et_fb_text(container, ET_CONTAINER_CONDITION_TEXTS).data;
  return text != NULL ? text : "";
}
