#include <string.h>

#include "runtime/method/builder.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

/* What of the regions is used up. */
typedef struct fill {
  et_builder *builder;
  et_tensor *tensor;
  et_value **item;
  int32_t *dim;
} fill;

/* Points at the tensor's bytes. A tensor without bytes still gets an address,
 * since kernels may compute with it. */
static void bind_memory(const fill *f, const et_tensor_record *record,
                        et_tensor *tensor) {
  const et_builder *builder = f->builder;
  et_span constant = {NULL, 0};
  if (record->is_planned) {
    uint8_t *base = builder->memory->planned[record->memory_id - 1].data;
    tensor->data = base != NULL ? base + record->memory_offset : NULL;
  } else if (record->data_buffer != 0) {
    et_tensor_record_data(builder->program, record, &constant);
    tensor->data = (void *)(uintptr_t)constant.data; /* is_constant guards it */
    tensor->is_constant = true;
  }
  if (record->nbytes == 0) {
    tensor->data = builder->regions.method;
  }
}

/* Mutable buffers start with their state; all other planned bytes are zero. */
static void copy_state(const fill *f, const et_tensor_record *record,
                       et_tensor *tensor) {
  et_span state = {NULL, 0};
  if (record->is_planned && record->data_buffer != 0 && record->nbytes != 0 &&
      et_tensor_record_data(f->builder->program, record, &state)) {
    memcpy(tensor->data, state.data, state.size);
  }
}

static et_status fill_tensor(fill *f, const et_fb_table *table,
                             et_value *value) {
  et_tensor_record record;
  ET_RETURN_IF_ERROR(et_tensor_record_read(table, &record, f->builder->error));
  et_tensor *tensor = f->tensor++;
  memset(tensor, 0, sizeof *tensor);
  tensor->capacity = record.nbytes;
  tensor->sizes = f->dim;
  tensor->strides = f->dim + record.rank;
  tensor->dim_order = record.dim_order;
  tensor->numel = record.numel;
  tensor->dtype = (et_scalar_type)record.dtype;
  tensor->rank = (uint8_t)record.rank;
  tensor->dynamism = (uint8_t)record.dynamism;
  memcpy(tensor->sizes, record.sizes, record.rank * sizeof *tensor->sizes);
  memcpy(tensor->strides, record.strides,
         record.rank * sizeof *tensor->strides);
  f->dim += 2 * record.rank;
  bind_memory(f, &record, tensor);
  copy_state(f, &record, tensor);
  value->u.as_tensor = tensor;
  return ET_STATUS_OK;
}

static void start_list(fill *f, et_value *value, uint32_t count) {
  value->u.as_list.items = f->item;
  value->u.as_list.size = count;
}

static void fill_int_list(fill *f, const et_fb_table *table, et_value *value) {
  const et_fb_vector items =
      et_fb_list(table, ET_SINGLE_FIELD, sizeof(int64_t));
  start_list(f, value, items.count);
  for (uint32_t i = 0; i < items.count; i++) {
    *f->item++ = &f->builder->regions.values[et_fb_i64_at(&items, i)];
  }
}

static void fill_tensor_list(fill *f, const et_fb_table *table,
                             et_value *value) {
  const et_fb_vector items = et_tables_vector(table, ET_SINGLE_FIELD);
  start_list(f, value, items.count);
  for (uint32_t i = 0; i < items.count; i++) {
    const int32_t index = et_fb_i32_at(&items, i);
    *f->item++ = index < 0 ? NULL : &f->builder->regions.values[index];
  }
}

static void fill_packed(const et_fb_table *table, uint32_t width,
                        et_value *value) {
  const et_fb_vector items = et_fb_list(table, ET_SINGLE_FIELD, width);
  value->u.as_packed.data = et_fb_data(&items);
  value->u.as_packed.size = items.count;
}

static void fill_scalar(const et_fb_table *table, et_value *value) {
  switch (value->tag) {
    case ET_VALUE_INT:
      value->u.as_int = et_fb_i64(table, ET_SINGLE_FIELD);
      break;
    case ET_VALUE_BOOL:
      value->u.as_bool = et_fb_u8(table, ET_SINGLE_FIELD) != 0;
      break;
    case ET_VALUE_DOUBLE:
      value->u.as_double = et_fb_f64(table, ET_SINGLE_FIELD);
      break;
    default:
      break;
  }
}

static et_status fill_value(fill *f, const et_fb_table *evalue,
                            et_value *value) {
  const et_fb_table held = et_fb_child(evalue, ET_EVALUE_VALUE);
  memset(value, 0, sizeof *value);
  value->tag = (et_value_tag)et_fb_u8(evalue, ET_EVALUE_TAG);
  switch (value->tag) {
    case ET_VALUE_TENSOR:
      return fill_tensor(f, &held, value);
    case ET_VALUE_STRING:
      value->u.as_string = et_fb_text(&held, ET_SINGLE_FIELD);
      break;
    case ET_VALUE_INT_LIST:
      fill_int_list(f, &held, value);
      break;
    case ET_VALUE_DOUBLE_LIST:
      fill_packed(&held, sizeof(double), value);
      break;
    case ET_VALUE_BOOL_LIST:
      fill_packed(&held, 1, value);
      break;
    case ET_VALUE_TENSOR_LIST:
    case ET_VALUE_OPTIONAL_TENSOR_LIST:
      fill_tensor_list(f, &held, value);
      break;
    default:
      fill_scalar(&held, value);
  }
  return ET_STATUS_OK;
}

et_status et_build_values(et_builder *builder) {
  fill f = {builder, builder->regions.tensors, builder->regions.list_items,
            builder->regions.dims};
  for (uint32_t i = 0; i < builder->values.count; i++) {
    const et_fb_table evalue = et_fb_child_at(&builder->values, i);
    ET_RETURN_IF_ERROR(fill_value(&f, &evalue, &builder->regions.values[i]));
  }
  return ET_STATUS_OK;
}

bool et_build_has_state(const et_builder *builder, uint32_t index) {
  const et_fb_table evalue = et_fb_child_at(&builder->values, index);
  const et_fb_table held = et_fb_child(&evalue, ET_EVALUE_VALUE);
  return et_fb_u8(&evalue, ET_EVALUE_TAG) == ET_VALUE_TENSOR &&
         et_fb_has(&held, ET_TENSOR_ALLOCATION) &&
         et_fb_u32(&held, ET_TENSOR_DATA_BUFFER) != 0;
}

void et_build_scalars(const et_fb_vector *values, et_value *out_values) {
  for (uint32_t i = 0; i < values->count; i++) {
    const et_fb_table evalue = et_fb_child_at(values, i);
    const et_fb_table held = et_fb_child(&evalue, ET_EVALUE_VALUE);
    fill_scalar(&held, &out_values[i]);
  }
}
