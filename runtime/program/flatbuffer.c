#include "runtime/program/flatbuffer.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "programs are little-endian and are read in place: no big-endian hosts"
#endif

/* Offsets have 32 bits, and the format limits lengths to below 2^31. */
#define MAX_BUFFER_BYTES INT32_MAX

/* A vtable begins with its own size and that of the table. */
#define VTABLE_HEAD_BYTES 4u

static uint16_t u16_at(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint32_t u32_at(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* Returns true if `width` bytes at `position` are in bounds. Uses 32-bit
 * arithmetic, which is cheaper on small targets. */
static bool is_in_bounds(et_span buffer, uint32_t position, uint32_t width) {
  const uint32_t size = (uint32_t)buffer.size;
  return buffer.size <= MAX_BUFFER_BYTES && position <= size &&
         width <= size - position;
}

/* Returns the value at `position`, or 0 if it is out of bounds. */
static uint32_t checked_u32(et_span buffer, uint32_t position) {
  return is_in_bounds(buffer, position, sizeof(uint32_t))
             ? u32_at(buffer.data + position)
             : 0;
}

uint32_t et_fb_check_table(et_span buffer, uint32_t position) {
  /* The offset is signed. A negative result wraps to a position that is out of
   * bounds. */
  const uint32_t vtable = position - checked_u32(buffer, position);
  const uint32_t sizes = checked_u32(buffer, vtable);
  const uint32_t vtable_size = sizes & UINT16_MAX;
  const uint32_t size = sizes >> 16;
  return vtable_size >= VTABLE_HEAD_BYTES && vtable_size % 2 == 0 &&
                 size >= sizeof(int32_t) &&
                 is_in_bounds(buffer, vtable, vtable_size) &&
                 is_in_bounds(buffer, position, size)
             ? vtable_size + size
             : 0;
}

uint32_t et_fb_check_offset(et_span buffer, uint32_t position) {
  const uint32_t offset = checked_u32(buffer, position);
  /* Both are below 2^31, so the sum does not overflow. */
  return offset != 0 && offset <= MAX_BUFFER_BYTES &&
                 is_in_bounds(buffer, position + offset, sizeof offset)
             ? position + offset
             : 0;
}

bool et_fb_check_vector(et_span buffer, uint32_t position, uint32_t width) {
  const uint32_t first = position + (uint32_t)sizeof(uint32_t);
  return is_in_bounds(buffer, position, sizeof(uint32_t)) &&
         u32_at(buffer.data + position) <=
             ((uint32_t)buffer.size - first) / width;
}

uint32_t et_fb_find(et_fb_table table, unsigned field, uint32_t width) {
  const uint8_t *at = (const uint8_t *)table;
  const uint32_t slot = VTABLE_HEAD_BYTES + 2 * field;
  const uint8_t *vtable = at - (int32_t)u32_at(at);
  if (slot >= u16_at(vtable)) { /* both are even */
    return ET_FB_ABSENT;
  }
  const uint32_t offset = u16_at(vtable + slot);
  if (offset == 0) {
    return ET_FB_ABSENT;
  }
  return offset >= sizeof(int32_t) && offset + width <= u16_at(vtable + 2)
             ? offset
             : ET_FB_BROKEN;
}

/* The absent table and the empty vector: a table whose vtable, at the same
 * address, is empty; a vector without elements; an offset to itself; and the
 * scalar 0. */
const uint8_t et_fb_zeros[sizeof(uint64_t)];

static const uint8_t *field_at(et_fb_table table, unsigned field,
                               uint32_t width) {
  const uint32_t offset = et_fb_find(table, field, width);
  return offset > ET_FB_BROKEN ? (const uint8_t *)table + offset : et_fb_zeros;
}

static const uint8_t *element_at(et_fb_vector vector, uint32_t index,
                                 uint32_t width) {
  return index < et_fb_count(vector)
             ? (const uint8_t *)vector + sizeof(uint32_t) +
                   (size_t)index * width
             : et_fb_zeros;
}

#define ET_FB_DEFINE_READER(name, type, at, owner, index) \
  type et_fb_##name(owner, index) {                       \
    type value;                                           \
    memcpy(&value, at, sizeof value);                     \
    return value;                                         \
  }
#define ET_FB_DEFINE_FIELD(name, type)                                  \
  ET_FB_DEFINE_READER(name, type, field_at(table, field, sizeof value), \
                      et_fb_table table, unsigned field)
#define ET_FB_DEFINE_ELEMENT(name, type)                                   \
  ET_FB_DEFINE_READER(name, type, element_at(vector, index, sizeof value), \
                      et_fb_vector vector, uint32_t index)

ET_FB_DEFINE_FIELD(u8, uint8_t)
ET_FB_DEFINE_FIELD(u16, uint16_t)
ET_FB_DEFINE_FIELD(u32, uint32_t)
ET_FB_DEFINE_FIELD(u64, uint64_t)
ET_FB_DEFINE_FIELD(f32, float)
ET_FB_DEFINE_FIELD(f64, double)
ET_FB_DEFINE_ELEMENT(u32_at, uint32_t)
ET_FB_DEFINE_ELEMENT(f32_at, float)
ET_FB_DEFINE_ELEMENT(u64_at, uint64_t)

/* Returns the target of the offset at `at`. */
static const void *follow(const uint8_t *at) { return at + u32_at(at); }

bool et_fb_has(et_fb_table table, unsigned field) {
  return et_fb_find(table, field, 1) != ET_FB_ABSENT;
}

et_fb_table et_fb_child(et_fb_table table, unsigned field) {
  return follow(field_at(table, field, sizeof(uint32_t)));
}

et_fb_vector et_fb_list(et_fb_table table, unsigned field) {
  return follow(field_at(table, field, sizeof(uint32_t)));
}

et_span et_fb_bytes(et_fb_table table, unsigned field) {
  const et_fb_vector vector = et_fb_list(table, field);
  const et_span bytes = {et_fb_data(vector), et_fb_count(vector)};
  return bytes;
}

et_string et_fb_text(et_fb_table table, unsigned field) {
  const et_fb_vector vector = et_fb_list(table, field);
  const size_t size = et_fb_count(vector);
  const et_string text = {size != 0 ? (const char *)et_fb_first(vector) : "",
                          size};
  return text;
}

const uint8_t *et_fb_data(et_fb_vector vector) {
  return et_fb_count(vector) != 0 ? (const uint8_t *)vector + sizeof(uint32_t)
                                  : NULL;
}

et_fb_table et_fb_child_at(et_fb_vector vector, uint32_t index) {
  return follow(element_at(vector, index, sizeof(uint32_t)));
}
