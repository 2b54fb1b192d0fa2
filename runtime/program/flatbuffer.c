#include "runtime/program/flatbuffer.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "programs are little-endian and are read in place: no big-endian hosts"
#endif

/* Offsets are 32 bits wide and lengths are kept below 2^31, as the format
 * does. */
#define MAX_BUFFER_BYTES INT32_MAX

/* Whether `width` bytes at `position` lie in the buffer. In 32 bits, which is what small
 * machines calculate with. */
static bool lies_in(et_span buffer, uint32_t position, uint32_t width) {
  const uint32_t size = (uint32_t)buffer.size;
  return buffer.size <= MAX_BUFFER_BYTES && position <= size &&
         width <= size - position;
}

/* Copies `width` bytes at `position` to `out`, or leaves it alone. */
static bool load(et_span buffer, uint32_t position, size_t width, void *out) {
  if (!lies_in(buffer, position, (uint32_t)width)) {
    return false;
  }
  memcpy(out, buffer.data + position, width);
  return true;
}

bool et_fb_table_at(et_span buffer, uint32_t position, et_fb_table *out) {
  uint32_t back = 0; /* signed; what leads before the buffer is too large */
  uint16_t sizes[2] = {0, 0}; /* of the vtable, of the table */
  memset(out, 0, sizeof *out);
  if (!load(buffer, position, sizeof back, &back)) {
    return false;
  }
  const uint32_t vtable = position - back;
  if (!load(buffer, vtable, sizeof sizes, sizes) || sizes[0] < sizeof sizes ||
      sizes[0] % 2 != 0 || sizes[1] < sizeof back ||
      !lies_in(buffer, vtable, sizes[0]) ||
      !lies_in(buffer, position, sizes[1])) {
    return false;
  }
  out->buffer = buffer;
  out->position = position;
  out->vtable = vtable;
  out->vtable_size = sizes[0];
  out->size = sizes[1];
  return true;
}

et_fb_presence et_fb_find(const et_fb_table *table, uint16_t field,
                          size_t width, uint32_t *out_position) {
  const uint32_t slot = 4 + 2 * (uint32_t)field; /* two sizes come first */
  uint16_t offset = 0;
  if (slot + sizeof offset > table->vtable_size) {
    return ET_FB_ABSENT;
  }
  if (!load(table->buffer, table->vtable + slot, sizeof offset, &offset)) {
    return ET_FB_BROKEN;
  }
  if (offset == 0) {
    return ET_FB_ABSENT;
  }
  /* The first four bytes are the table's way to its vtable, never a field. */
  if (offset < sizeof(int32_t) || offset + width > table->size) {
    return ET_FB_BROKEN;
  }
  *out_position = table->position + offset;
  return ET_FB_PRESENT;
}

bool et_fb_follow(et_span buffer, uint32_t position, uint32_t *out_target) {
  uint32_t offset = 0;
  /* Both are below 2^31, so that their sum does not wrap. */
  if (!load(buffer, position, sizeof offset, &offset) || offset == 0 ||
      offset > MAX_BUFFER_BYTES ||
      !lies_in(buffer, position + offset, sizeof offset)) {
    return false;
  }
  *out_target = position + offset;
  return true;
}

bool et_fb_vector_at(et_span buffer, uint32_t position, uint32_t width,
                     et_fb_vector *out) {
  uint32_t count = 0;
  const uint32_t first = position + (uint32_t)sizeof count;
  memset(out, 0, sizeof *out);
  out->width = width;
  if (!load(buffer, position, sizeof count, &count) ||
      count > ((uint32_t)buffer.size - first) / width) {
    return false;
  }
  out->buffer = buffer;
  out->position = first;
  out->count = count;
  return true;
}

/* Reads a scalar field into `out`, which keeps its default when absent. */
static void read_field(const et_fb_table *table, uint16_t field, size_t width,
                       void *out) {
  uint32_t position = 0;
  if (et_fb_find(table, field, width, &position) == ET_FB_PRESENT) {
    load(table->buffer, position, width, out);
  }
}

#define ET_FB_DEFINE_READER(name, type)                         \
  type et_fb_##name(const et_fb_table *table, uint16_t field) { \
    type value = 0;                                             \
    read_field(table, field, sizeof value, &value);             \
    return value;                                               \
  }

ET_FB_DEFINE_READER(u8, uint8_t)
ET_FB_DEFINE_READER(i16, int16_t)
ET_FB_DEFINE_READER(u32, uint32_t)
ET_FB_DEFINE_READER(u64, uint64_t)
ET_FB_DEFINE_READER(f32, float)
ET_FB_DEFINE_READER(f64, double)

/* Where the offset in a field leads. */
static bool follow_field(const et_fb_table *table, uint16_t field,
                         uint32_t *out_target) {
  uint32_t position = 0;
  return et_fb_find(table, field, sizeof(uint32_t), &position) ==
             ET_FB_PRESENT &&
         et_fb_follow(table->buffer, position, out_target);
}

bool et_fb_has(const et_fb_table *table, uint16_t field) {
  uint32_t position = 0;
  return et_fb_find(table, field, 1, &position) == ET_FB_PRESENT;
}

et_fb_table et_fb_child(const et_fb_table *table, uint16_t field) {
  et_fb_table child = {{NULL, 0}, 0, 0, 0, 0};
  uint32_t target = 0;
  if (follow_field(table, field, &target)) {
    et_fb_table_at(table->buffer, target, &child);
  }
  return child;
}

et_fb_vector et_fb_list(const et_fb_table *table, uint16_t field,
                        uint32_t width) {
  et_fb_vector vector = {{NULL, 0}, 0, 0, width};
  uint32_t target = 0;
  if (follow_field(table, field, &target)) {
    et_fb_vector_at(table->buffer, target, width, &vector);
  }
  return vector;
}

et_string et_fb_text(const et_fb_table *table, uint16_t field) {
  const et_fb_vector vector = et_fb_list(table, field, 1);
  const char *bytes = (const char *)et_fb_data(&vector);
  const et_string text = {bytes != NULL ? bytes : "", vector.count};
  return text;
}

et_span et_fb_bytes(const et_fb_table *table, uint16_t field) {
  const et_fb_vector vector = et_fb_list(table, field, 1);
  const et_span bytes = {et_fb_data(&vector), vector.count};
  return bytes;
}

const uint8_t *et_fb_data(const et_fb_vector *vector) {
  return vector->count != 0 ? vector->buffer.data + vector->position : NULL;
}

static void read_element(const et_fb_vector *vector, uint32_t index,
                         size_t width, void *out) {
  if (index < vector->count && width == vector->width) {
    memcpy(out, et_fb_data(vector) + (size_t)index * width, width);
  }
}

#define ET_FB_DEFINE_ELEMENT(name, type)                               \
  type et_fb_##name##_at(const et_fb_vector *vector, uint32_t index) { \
    type value = 0;                                                    \
    read_element(vector, index, sizeof value, &value);                 \
    return value;                                                      \
  }

ET_FB_DEFINE_ELEMENT(u32, uint32_t)
ET_FB_DEFINE_ELEMENT(f32, float)
ET_FB_DEFINE_ELEMENT(u64, uint64_t)

et_fb_table et_fb_child_at(const et_fb_vector *vector, uint32_t index) {
  et_fb_table child = {{NULL, 0}, 0, 0, 0, 0};
  uint32_t target = 0;
  if (index < vector->count && vector->width == sizeof target &&
      et_fb_follow(vector->buffer,
                   vector->position + index * (uint32_t)sizeof target,
                   &target)) {
    et_fb_table_at(vector->buffer, target, &child);
  }
  return child;
}
