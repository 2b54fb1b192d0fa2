#include "runtime/method/data.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_data_needs needs_of(const et_builder *builder) {
  const et_data_needs needs = {
      builder->program, builder->values,
      et_tables_vector(builder->plan, ET_PLAN_DELEGATES), builder->error};
  return needs;
}

et_status et_data_measure(const et_builder *builder, size_t *out_bytes) {
  const struct et_reading *reading = builder->program->reading;
  size_t list = 0;
  *out_bytes = 0;
  if (reading == NULL) {
    return ET_STATUS_OK;
  }
  const et_data_needs needs = needs_of(builder);
  return reading->measure(&needs, &list, out_bytes);
}

static const et_mutable_span *room_of(const et_builder *builder) {
  static const et_mutable_span none = {NULL, 0};
  if (builder->memory != NULL) {
    return &builder->memory->data;
  }
  return builder->options != NULL ? &builder->options->data : &none;
}

et_status et_data_build(et_builder *builder, size_t *out_bytes) {
  const struct et_reading *reading = builder->program->reading;
  size_t list = 0;
  *out_bytes = 0;
  if (reading == NULL) {
    return ET_STATUS_OK;
  }
  const et_data_needs needs = needs_of(builder);
  ET_RETURN_IF_ERROR(reading->measure(&needs, &list, out_bytes));
  if (*out_bytes == 0) {
    return ET_STATUS_OK;
  }
  const et_mutable_span *room = room_of(builder);
  ET_RETURN_IF_ERROR(et_build_check_buffer(builder, room, *out_bytes));
  return reading->build(&needs, *room, list, &builder->data);
}

const uint8_t *et_data_initial(const et_program *program, const et_data *data,
                               const et_tensor_record *record) {
  et_piece piece;
  return record->has_data && et_tensor_record_data(program, record, &piece)
             ? et_data_find(program, data, &piece)
             : NULL;
}
