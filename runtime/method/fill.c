#include "runtime/method/fill.h"

#include <string.h>

#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_status fill_tensor(et_fill *f, et_fb_table held, et_value *value,
                             et_tensor_record *record) {
  ET_RETURN_IF_ERROR(et_tensor_record_read(held, record, f->error));
  et_tensor *tensor = f->tensor++;
  tensor->data = NULL;
  tensor->capacity = record->nbytes;
  tensor->sizes = f->dim;
  tensor->strides = f->dim + record->rank;
  tensor->dim_order = record->dim_order;
  tensor->numel = record->numel;
  tensor->dtype = (et_scalar_type)record->dtype;
  tensor->rank = (uint8_t)record->rank;
  tensor->dynamism = (uint8_t)record->dynamism;
  tensor->is_constant = false;
  memcpy(tensor->sizes, record->sizes, record->rank * sizeof *tensor->sizes);
  memcpy(tensor->strides, record->strides,
         record->rank * sizeof *tensor->strides);
  f->dim += 2 * record->rank;
  value->u.as_tensor = tensor;
  return ET_STATUS_OK;
}

/* Fills a list of ints, which has 64-bit indices, or a list of tensors, in
 * which -1 is an absent tensor. */
static void fill_list(et_fill *f, et_fb_table table, et_value *value) {
  const bool is_wide = value->tag == ET_VALUE_INT_LIST;
  const et_fb_vector items = et_fb_list(table, ET_SINGLE_FIELD);
  value->u.as_list.items = f->item;
  value->u.as_list.size = et_fb_count(items);
  for (uint32_t i = 0; i < et_fb_count(items); i++) {
    const int32_t index =
        is_wide ? (int32_t)et_fb_i64_at(items, i) : et_fb_i32_at(items, i);
    *f->item++ = index < 0 ? NULL : f->value_at(f->context, (uint32_t)index);
  }
}

void et_fill_scalar(et_fb_table held, et_value *out_value) {
  switch (out_value->tag) {
    case ET_VALUE_INT:
    case ET_VALUE_DOUBLE: /* copies the bits of as_double */
      out_value->u.as_int = et_fb_i64(held, ET_SINGLE_FIELD);
      break;
    case ET_VALUE_BOOL:
      out_value->u.as_bool = et_fb_u8(held, ET_SINGLE_FIELD) != 0;
      break;
    default:
      break;
  }
}

_Static_assert(offsetof(et_value, u.as_string.data) ==
                       offsetof(et_value, u.as_packed.data) &&
                   offsetof(et_value, u.as_string.size) ==
                       offsetof(et_value, u.as_packed.size),
               "texts and byte lists have the same layout");

et_status et_fill_value(et_fill *fill, et_fb_vector values, uint32_t index,
                        et_value *out_value, et_tensor_record *out_record) {
  et_fb_table held;
  et_fb_vector items;
  memset(out_value, 0, sizeof *out_value);
  out_value->tag = (et_value_tag)et_tables_value(values, index, &held);
  switch (out_value->tag) {
    case ET_VALUE_TENSOR:
      return fill_tensor(fill, held, out_value, out_record);
    case ET_VALUE_STRING: /* as_string has the same layout as as_packed */
    case ET_VALUE_DOUBLE_LIST:
    case ET_VALUE_BOOL_LIST:
      items = et_fb_list(held, ET_SINGLE_FIELD);
      out_value->u.as_packed.data = et_fb_first(items);
      out_value->u.as_packed.size = et_fb_count(items);
      break;
    case ET_VALUE_INT_LIST:
    case ET_VALUE_TENSOR_LIST:
    case ET_VALUE_OPTIONAL_TENSOR_LIST:
      fill_list(fill, held, out_value);
      break;
    default:
      et_fill_scalar(held, out_value);
  }
  return ET_STATUS_OK;
}
