/* Reads flatbuffers: unverified ones with checks, verified ones without.
 *
 * et_schema_verify verifies a buffer once, with the et_fb_check_* functions
 * below. In a verified buffer, tables and vectors are plain addresses. They may
 * be read only as the schema declares them. An absent field reads as its
 * default (0 or empty), and so do the fields of an absent table and elements
 * beyond the end of a vector.
 *
 * Positions are in bytes from the start of the buffer. Values are little-endian
 * and may be unaligned. */
#ifndef ET_RUNTIME_PROGRAM_FLATBUFFER_H_
#define ET_RUNTIME_PROGRAM_FLATBUFFER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "executorch/span.h"

/* A table of a verified buffer, or the absent table. Never NULL. */
typedef const struct et_fb_table_start *et_fb_table;

/* A vector of scalars or tables, or a string. Never NULL. */
typedef const struct et_fb_vector_start *et_fb_vector;

/* The absent table and the empty vector. */
extern const uint8_t et_fb_zeros[sizeof(uint64_t)];
#define ET_FB_ABSENT_TABLE ((et_fb_table)(const void *)et_fb_zeros)
#define ET_FB_EMPTY_VECTOR ((et_fb_vector)(const void *)et_fb_zeros)

/* Primitives for verification. In a table, they follow only the offset to its
 * vtable. */

/* Returns the size of the table at `position` plus its vtable, at most 2^17, or
 * 0 if one of them is out of bounds. */
uint32_t et_fb_check_table(et_span buffer, uint32_t position);

/* Returns the target of the offset at `position`, or 0 if it is out of
 * bounds. */
uint32_t et_fb_check_offset(et_span buffer, uint32_t position);

/* Returns true if the vector at `position`, with elements of `width` bytes, is
 * in bounds. */
bool et_fb_check_vector(et_span buffer, uint32_t position, uint32_t width);

/* Returns the offset of a field of `width` bytes in a table that is in bounds.
 *
 * Returns ET_FB_ABSENT if the table does not have the field, and ET_FB_BROKEN
 * if the field extends beyond the table. */
uint32_t et_fb_find(et_fb_table table, unsigned field, uint32_t width);
#define ET_FB_ABSENT 0u
#define ET_FB_BROKEN 1u /* a table begins with the offset to its vtable */

/* Returns the table at `position`. */
static inline et_fb_table et_fb_table_at(et_span buffer, uint32_t position) {
  return (et_fb_table)(const void *)(buffer.data + position);
}

/* Returns the position of a table or vector that is not absent. */
static inline uint32_t et_fb_position(et_span buffer, const void *there) {
  return (uint32_t)((const uint8_t *)there - buffer.data);
}

/* Fields of a table. Bytes of strings and vectors are borrowed. */
uint8_t et_fb_u8(et_fb_table table, unsigned field);
uint16_t et_fb_u16(et_fb_table table, unsigned field);
uint32_t et_fb_u32(et_fb_table table, unsigned field);
uint64_t et_fb_u64(et_fb_table table, unsigned field);
float et_fb_f32(et_fb_table table, unsigned field);
double et_fb_f64(et_fb_table table, unsigned field);
bool et_fb_has(et_fb_table table, unsigned field);
et_fb_table et_fb_child(et_fb_table table, unsigned field);
et_fb_vector et_fb_list(et_fb_table table, unsigned field);
et_string et_fb_text(et_fb_table table, unsigned field);
et_span et_fb_bytes(et_fb_table table, unsigned field);

/* Returns the number of elements. */
static inline uint32_t et_fb_count(et_fb_vector vector) {
  uint32_t count;
  memcpy(&count, vector, sizeof count);
  return count;
}
uint32_t et_fb_u32_at(et_fb_vector vector, uint32_t index);
float et_fb_f32_at(et_fb_vector vector, uint32_t index);
uint64_t et_fb_u64_at(et_fb_vector vector, uint32_t index);
et_fb_table et_fb_child_at(et_fb_vector vector, uint32_t index);

/* Signed fields and elements. */
static inline int8_t et_fb_i8(et_fb_table table, unsigned field) {
  return (int8_t)et_fb_u8(table, field);
}
static inline int32_t et_fb_i32(et_fb_table table, unsigned field) {
  return (int32_t)et_fb_u32(table, field);
}
static inline int64_t et_fb_i64(et_fb_table table, unsigned field) {
  return (int64_t)et_fb_u64(table, field);
}
static inline int32_t et_fb_i32_at(et_fb_vector vector, uint32_t index) {
  return (int32_t)et_fb_u32_at(vector, index);
}
static inline int64_t et_fb_i64_at(et_fb_vector vector, uint32_t index) {
  return (int64_t)et_fb_u64_at(vector, index);
}

/* Returns the address of the first element, even if the vector is empty. */
static inline const uint8_t *et_fb_first(et_fb_vector vector) {
  return (const uint8_t *)vector + sizeof(uint32_t);
}

/* Returns the first byte, or NULL if the vector is empty. */
const uint8_t *et_fb_data(et_fb_vector vector);

#endif /* ET_RUNTIME_PROGRAM_FLATBUFFER_H_ */
