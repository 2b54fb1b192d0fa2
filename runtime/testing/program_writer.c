#include "runtime/testing/program_writer.h"

#include <stdlib.h>
#include <string.h>

#include "executorch/value.h"
#include "runtime/program/schema.h"

/* Adds a growable vector of offsets. Its count is set at the end. */
static size_t add_slots(et_program_writer *writer, size_t table,
                        uint16_t field) {
  const size_t vector =
      et_fb_add_vector(&writer->buffer, NULL, ET_WRITER_ITEMS, 4);
  et_fb_refer(&writer->buffer, table, field, vector);
  return vector;
}

void et_writer_start(et_program_writer *writer, int64_t planned_bytes) {
  memset(writer, 0, sizeof *writer);
  et_fb_writer *buffer = &writer->buffer;
  buffer->data = writer->bytes;
  buffer->capacity = sizeof writer->bytes;
  et_fb_append(buffer, 8, 1); /* root offset and identifier */
  writer->program = et_fb_add_table(buffer, 8);
  const size_t plans = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer->program, ET_PROGRAM_EXECUTION_PLAN, plans);
  writer->plan = et_fb_add_table(buffer, 10);
  et_fb_refer_element(buffer, plans, 0, writer->plan);
  const size_t chains = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer->plan, ET_PLAN_CHAINS, chains);
  writer->chain = et_fb_add_table(buffer, 4);
  et_fb_refer_element(buffer, chains, 0, writer->chain);
  writer->values = add_slots(writer, writer->plan, ET_PLAN_VALUES);
  writer->inputs = add_slots(writer, writer->plan, ET_PLAN_INPUTS);
  writer->outputs = add_slots(writer, writer->plan, ET_PLAN_OUTPUTS);
  writer->operators = add_slots(writer, writer->plan, ET_PLAN_OPERATORS);
  writer->instructions =
      add_slots(writer, writer->chain, ET_CHAIN_INSTRUCTIONS);
  et_fb_refer(buffer, writer->plan, ET_PLAN_NAME,
              et_fb_add_text(buffer, "forward"));
  const int64_t sizes[2] = {0, planned_bytes};
  et_fb_refer(buffer, writer->plan, ET_PLAN_BUFFER_SIZES,
              et_fb_add_vector(buffer, sizes, 2, sizeof *sizes));
}

static uint32_t next_slot(uint32_t *count) {
  if (*count == ET_WRITER_ITEMS) {
    abort();
  }
  return (*count)++;
}

/* Adds a table with a union's tag and value, and stores the value's
 * position. */
static void add_union(et_program_writer *writer, size_t vector, uint32_t slot,
                      uint8_t tag, uint16_t fields) {
  const size_t owner = et_fb_add_table(&writer->buffer, 2);
  et_fb_refer_element(&writer->buffer, vector, slot, owner);
  et_fb_set_i8(&writer->buffer, owner, 0, (int8_t)tag);
  writer->last_table = et_fb_add_table(&writer->buffer, fields);
  et_fb_refer(&writer->buffer, owner, 1, writer->last_table);
}

int32_t et_writer_value(et_program_writer *writer, uint8_t tag,
                        uint16_t fields) {
  const uint32_t slot = next_slot(&writer->value_count);
  add_union(writer, writer->values, slot, tag, fields);
  return (int32_t)slot;
}

int32_t et_writer_int(et_program_writer *writer, int64_t value) {
  const int32_t index = et_writer_value(writer, ET_VALUE_INT, 1);
  et_fb_set_i64(&writer->buffer, writer->last_table, 0, value);
  return index;
}

int32_t et_writer_bool(et_program_writer *writer, int value) {
  const int32_t index = et_writer_value(writer, ET_VALUE_BOOL, 1);
  et_fb_set_i8(&writer->buffer, writer->last_table, 0, (int8_t)value);
  return index;
}

int32_t et_writer_double(et_program_writer *writer, double value) {
  const int32_t index = et_writer_value(writer, ET_VALUE_DOUBLE, 1);
  et_fb_set(&writer->buffer, writer->last_table, 0, &value, sizeof value);
  return index;
}

int32_t et_writer_text(et_program_writer *writer, const char *value) {
  const int32_t index = et_writer_value(writer, ET_VALUE_STRING, 1);
  et_fb_refer(&writer->buffer, writer->last_table, 0,
              et_fb_add_text(&writer->buffer, value));
  return index;
}

int32_t et_writer_none(et_program_writer *writer) {
  return et_writer_value(writer, ET_VALUE_NONE, 0);
}

int32_t et_writer_int_list(et_program_writer *writer, const int64_t *items,
                           uint32_t count) {
  const int32_t index = et_writer_value(writer, ET_VALUE_INT_LIST, 1);
  et_fb_refer(&writer->buffer, writer->last_table, 0,
              et_fb_add_vector(&writer->buffer, items, count, sizeof *items));
  return index;
}

int32_t et_writer_tensor_list(et_program_writer *writer, const int32_t *items,
                              uint32_t count, uint8_t tag) {
  const int32_t index = et_writer_value(writer, tag, 1);
  et_fb_refer(&writer->buffer, writer->last_table, 0,
              et_fb_add_vector(&writer->buffer, items, count, sizeof *items));
  return index;
}

int32_t et_writer_tensor(et_program_writer *writer, et_scalar_type dtype,
                         int32_t size, int32_t offset) {
  et_fb_writer *buffer = &writer->buffer;
  const uint8_t dim_order = 0;
  const int32_t index = et_writer_value(writer, ET_VALUE_TENSOR, 10);
  const size_t tensor = writer->last_table;
  et_fb_set_i8(buffer, tensor, ET_TENSOR_SCALAR_TYPE, (int8_t)dtype);
  et_fb_refer(buffer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(buffer, &size, 1, sizeof size));
  et_fb_refer(buffer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(buffer, &dim_order, 1, 1));
  if (offset != ET_NOT_PLANNED) {
    const size_t allocation = et_fb_add_table(buffer, 3);
    et_fb_refer(buffer, tensor, ET_TENSOR_ALLOCATION, allocation);
    et_fb_set_i32(buffer, allocation, ET_ALLOCATION_MEMORY_ID, 1);
    et_fb_set_i32(buffer, allocation, ET_ALLOCATION_OFFSET_LOW, offset);
  }
  return index;
}

int32_t et_writer_floats(et_program_writer *writer, int32_t size,
                         int32_t offset) {
  return et_writer_tensor(writer, ET_SCALAR_TYPE_FLOAT32, size, offset);
}

static void add_index(et_program_writer *writer, size_t vector, uint32_t *count,
                      int32_t value) {
  const uint32_t slot = next_slot(count);
  et_fb_put_u32(&writer->buffer, vector + 4 + 4 * (size_t)slot,
                (uint32_t)value);
}

void et_writer_input(et_program_writer *writer, int32_t value) {
  add_index(writer, writer->inputs, &writer->input_count, value);
}

void et_writer_output(et_program_writer *writer, int32_t value) {
  add_index(writer, writer->outputs, &writer->output_count, value);
}

int32_t et_writer_operator(et_program_writer *writer, const char *name,
                           const char *overload) {
  et_fb_writer *buffer = &writer->buffer;
  const uint32_t slot = next_slot(&writer->operator_count);
  const size_t row = et_fb_add_table(buffer, 2);
  et_fb_refer_element(buffer, writer->operators, slot, row);
  et_fb_refer(buffer, row, ET_OPERATOR_NAME, et_fb_add_text(buffer, name));
  et_fb_refer(buffer, row, ET_OPERATOR_OVERLOAD,
              et_fb_add_text(buffer, overload));
  return (int32_t)slot;
}

static size_t add_step(et_program_writer *writer, uint8_t tag,
                       uint16_t fields) {
  const uint32_t slot = next_slot(&writer->instruction_count);
  add_union(writer, writer->instructions, slot, tag, fields);
  return writer->last_table;
}

void et_writer_call_operator(et_program_writer *writer, int32_t op,
                             const int32_t *args, uint32_t count) {
  et_fb_writer *buffer = &writer->buffer;
  const size_t call = add_step(writer, ET_INSTRUCTION_KERNEL_CALL, 2);
  et_fb_set_i32(buffer, call, ET_KERNEL_CALL_OPERATOR, op);
  et_fb_refer(buffer, call, ET_KERNEL_CALL_ARGS,
              et_fb_add_vector(buffer, args, count, sizeof *args));
}

void et_writer_call(et_program_writer *writer, const char *name,
                    const int32_t *args, uint32_t count) {
  char full[64] = "test::";
  strncat(full, name, sizeof full - sizeof "test::");
  et_writer_call_operator(writer, et_writer_operator(writer, full, "out"), args,
                          count);
}

void et_writer_move(et_program_writer *writer, int32_t from, int32_t to) {
  const size_t move = add_step(writer, ET_INSTRUCTION_MOVE, 2);
  et_fb_set_i32(&writer->buffer, move, ET_MOVE_FROM, from);
  et_fb_set_i32(&writer->buffer, move, ET_MOVE_TO, to);
}

void et_writer_jump_false(et_program_writer *writer, int32_t condition,
                          int32_t destination) {
  const size_t jump = add_step(writer, ET_INSTRUCTION_JUMP_FALSE, 2);
  et_fb_set_i32(&writer->buffer, jump, ET_JUMP_CONDITION, condition);
  et_fb_set_i32(&writer->buffer, jump, ET_JUMP_DESTINATION, destination);
}

void et_writer_free(et_program_writer *writer, int32_t value) {
  const size_t step = add_step(writer, ET_INSTRUCTION_FREE, 1);
  et_fb_set_i32(&writer->buffer, step, ET_FREE_VALUE, value);
}

/* Adds the program's only delegate. Its payload is inline data 0. */
static void add_delegate(et_program_writer *writer, const char *id,
                         const char *payload) {
  et_fb_writer *buffer = &writer->buffer;
  const size_t payloads = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer->program, ET_PROGRAM_DELEGATE_DATA, payloads);
  const size_t data = et_fb_add_table(buffer, 1);
  et_fb_refer_element(buffer, payloads, 0, data);
  et_fb_refer(buffer, data, ET_SINGLE_FIELD,
              et_fb_add_vector(buffer, payload, (uint32_t)strlen(payload), 1));
  const size_t delegates = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer->plan, ET_PLAN_DELEGATES, delegates);
  const size_t delegate = et_fb_add_table(buffer, 3);
  et_fb_refer_element(buffer, delegates, 0, delegate);
  et_fb_refer(buffer, delegate, ET_DELEGATE_ID, et_fb_add_text(buffer, id));
  et_fb_refer(buffer, delegate, ET_DELEGATE_PROCESSED,
              et_fb_add_table(buffer, 2));
}

void et_writer_delegate(et_program_writer *writer, const char *id,
                        const char *payload, const int32_t *args,
                        uint32_t count) {
  add_delegate(writer, id, payload);
  const size_t call = add_step(writer, ET_INSTRUCTION_DELEGATE_CALL, 2);
  et_fb_refer(&writer->buffer, call, ET_DELEGATE_CALL_ARGS,
              et_fb_add_vector(&writer->buffer, args, count, sizeof *args));
}

et_span et_writer_finish(et_program_writer *writer) {
  et_fb_writer *buffer = &writer->buffer;
  et_fb_put_u32(buffer, 0, (uint32_t)writer->program);
  memcpy(writer->bytes + 4, "ET12", 4);
  et_fb_put_u32(buffer, writer->values, writer->value_count);
  et_fb_put_u32(buffer, writer->inputs, writer->input_count);
  et_fb_put_u32(buffer, writer->outputs, writer->output_count);
  et_fb_put_u32(buffer, writer->operators, writer->operator_count);
  et_fb_put_u32(buffer, writer->instructions, writer->instruction_count);
  const et_span file = {writer->bytes, buffer->size};
  return file;
}
