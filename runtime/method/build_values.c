#include "runtime/method/builder.h"
#include "runtime/method/data.h"
#include "runtime/method/fill.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

/* Sets the tensor's address. An empty tensor gets one too, since kernels may do
 * arithmetic with it. */
static void bind_memory(const et_builder *builder,
                        const et_tensor_record *record, et_tensor *tensor) {
  if (record->is_planned) {
    uint8_t *base = builder->memory->planned[record->memory_id - 1].bytes.data;
    tensor->data = base != NULL ? base + record->memory_offset : NULL;
  } else if (record->has_data) {
    tensor->data = (void *)(uintptr_t)et_data_initial(
        /* is_constant prevents writes. */
        builder->program, &builder->data, record);
    tensor->is_constant = true;
  }
  if (record->nbytes == 0) {
    tensor->data = builder->regions.method;
  }
}

static et_value *value_at(void *context, uint32_t index) {
  const et_builder *builder = context;
  return &builder->regions.values[index];
}

et_status et_build_values(et_builder *builder) {
  et_tensor_record record;
  et_fill fill = {.tensor = builder->regions.tensors,
                  .item = builder->regions.list_items,
                  .dim = builder->regions.dims,
                  .value_at = value_at,
                  .context = builder,
                  .error = builder->error};
  for (uint32_t i = 0; i < et_fb_count(builder->values); i++) {
    et_value *value = &builder->regions.values[i];
    ET_RETURN_IF_ERROR(
        et_fill_value(&fill, builder->values, i, value, &record));
    if (value->tag == ET_VALUE_TENSOR) {
      bind_memory(builder, &record, value->u.as_tensor);
    }
  }
  return ET_STATUS_OK;
}

void et_build_scalars(et_fb_vector values, et_value *out_values) {
  for (uint32_t i = 0; i < et_fb_count(values); i++) {
    et_fb_table held;
    et_tables_value(values, i, &held);
    et_fill_scalar(held, &out_values[i]);
  }
}
