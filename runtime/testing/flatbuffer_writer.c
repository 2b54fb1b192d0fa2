#include "runtime/testing/flatbuffer_writer.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES 8 /* enough for any scalar */

size_t et_fb_append(et_fb_writer *writer, size_t count, size_t alignment) {
  const size_t start = (writer->size + alignment - 1) / alignment * alignment;
  if (start + count > writer->capacity) {
    abort();
  }
  memset(writer->data + writer->size, 0, start + count - writer->size);
  writer->size = start + count;
  return start;
}

static void put_u16(et_fb_writer *writer, size_t position, size_t value) {
  const uint16_t number = (uint16_t)value;
  memcpy(writer->data + position, &number, sizeof number);
}

void et_fb_put_u32(et_fb_writer *writer, size_t position, uint32_t value) {
  memcpy(writer->data + position, &value, sizeof value);
}

/* Layout: the vtable (its size, the table's size, a slot for each field), then
 * the table (four bytes with the offset to the vtable, four bytes of padding,
 * the fields). */
size_t et_fb_add_table(et_fb_writer *writer, uint16_t fields) {
  const size_t vtable_bytes = 4 + 2 * (size_t)fields;
  const size_t table_bytes = 8 + SLOT_BYTES * (size_t)fields;
  const size_t vtable = et_fb_append(writer, vtable_bytes, 8);
  const size_t table = et_fb_append(writer, table_bytes, 8);
  put_u16(writer, vtable, vtable_bytes);
  put_u16(writer, vtable + 2, table_bytes);
  et_fb_put_u32(writer, table, (uint32_t)(table - vtable));
  return table;
}

void et_fb_set(et_fb_writer *writer, size_t table, uint16_t field,
               const void *bytes, size_t size) {
  uint32_t back = 0;
  memcpy(&back, writer->data + table, sizeof back);
  const size_t offset = 8 + SLOT_BYTES * (size_t)field;
  put_u16(writer, table - back + 4 + 2 * (size_t)field, offset);
  memcpy(writer->data + table + offset, bytes, size);
}

void et_fb_set_i8(et_fb_writer *writer, size_t table, uint16_t field,
                  int8_t value) {
  et_fb_set(writer, table, field, &value, sizeof value);
}

void et_fb_set_i32(et_fb_writer *writer, size_t table, uint16_t field,
                   int32_t value) {
  et_fb_set(writer, table, field, &value, sizeof value);
}

void et_fb_set_i64(et_fb_writer *writer, size_t table, uint16_t field,
                   int64_t value) {
  et_fb_set(writer, table, field, &value, sizeof value);
}

void et_fb_refer(et_fb_writer *writer, size_t table, uint16_t field,
                 size_t target) {
  const size_t slot = table + 8 + SLOT_BYTES * (size_t)field;
  et_fb_set_i32(writer, table, field, (int32_t)(target - slot));
}

size_t et_fb_add_text(et_fb_writer *writer, const char *text) {
  const size_t size = strlen(text);
  const size_t position = et_fb_append(writer, 4 + size + 1, 4);
  et_fb_put_u32(writer, position, (uint32_t)size);
  memcpy(writer->data + position + 4, text, size);
  return position;
}

size_t et_fb_add_vector(et_fb_writer *writer, const void *items, uint32_t count,
                        size_t width) {
  const size_t position = et_fb_append(writer, 4 + count * width, 4);
  et_fb_put_u32(writer, position, count);
  if (items != NULL) {
    memcpy(writer->data + position + 4, items, count * width);
  }
  return position;
}

void et_fb_refer_element(et_fb_writer *writer, size_t vector, uint32_t index,
                         size_t target) {
  const size_t slot = vector + 4 + 4 * (size_t)index;
  et_fb_put_u32(writer, slot, (uint32_t)(target - slot));
}
