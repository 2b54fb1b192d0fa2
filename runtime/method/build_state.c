#include <string.h>

#include "runtime/core/error.h"
#include "runtime/method/builder.h"
#include "runtime/method/state.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

bool et_state_read(et_fb_vector values, uint32_t index,
                   et_tensor_record *out_record) {
  et_fb_table held;
  return et_tables_value(values, index, &held) == ET_VALUE_TENSOR &&
         et_fb_has(held, ET_TENSOR_ALLOCATION) &&
         et_tensor_record_read(held, out_record, NULL) == ET_STATUS_OK;
}

void et_state_set_initial(const et_method *method, uint32_t index,
                          const et_tensor_record *record) {
  void *data = method->values[index].u.as_tensor->data;
  const uint8_t *initial =
      et_data_initial(&method->program, &method->data, record);
  if (initial != NULL) {
    memcpy(data, initial, record->nbytes);
  } else if (record->nbytes != 0) {
    memset(data, 0, record->nbytes);
  }
}

/* Resets all planned tensors, or only those with an initial value. Tensors may
 * overlap, so initial values are set last. */
static void reset(const et_method *method, bool with_initial) {
  const et_fb_vector values = et_tables_vector(method->plan, ET_PLAN_VALUES);
  for (uint32_t i = 0; i < et_fb_count(values); i++) {
    et_tensor_record record;
    if (et_state_read(values, i, &record) &&
        (!with_initial || record.has_data)) {
      et_state_set_initial(method, i, &record);
    }
  }
}

et_status et_build_state(const et_builder *builder) {
  const et_planned_buffer *planned = builder->memory->planned;
  for (size_t i = 0; i < builder->counts.planned_buffers; i++) {
    const et_planned_buffer *buffer = &planned[i];
    if (buffer->state != NULL) {
      return buffer->sharing != NULL
                 ? buffer->sharing->build(builder)
                 : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                           "memory.planned[%zu] has a state; set its sharing "
                           "to &et_sharing",
                           i);
    }
    if (buffer->bytes.size != 0) {
      memset(buffer->bytes.data, 0, buffer->bytes.size);
    }
  }
  reset(builder->regions.method, true);
  return ET_STATUS_OK;
}

void et_method_reset_state(et_method *method) {
  method->has_outputs = false;
  reset(method, false);
  reset(method, true);
  for (uint32_t i = 0; i < method->input_count; i++) {
    if (method->inputs[i].is_planned) {
      method->inputs[i].is_set = false;
    }
  }
}
