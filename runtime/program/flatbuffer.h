/* Reading flatbuffers: what nobody has looked at yet, and what is verified.
 *
 * A buffer that comes from outside is looked at once, by schema_verify.h, whose steps
 * ask here whether what they find lies in the buffer. Of a buffer that it has taken,
 * tables and vectors are addresses, and reading follows them: only fields that the
 * schema has, as what the schema says they are. What is absent reads as the default (0,
 * empty), as do the fields of the absent table and what lies behind a vector's end.
 *
 * Positions are bytes from the start of the buffer. Numbers are little-endian
 * and may lie unaligned. */
#ifndef ET_RUNTIME_PROGRAM_FLATBUFFER_H_
#define ET_RUNTIME_PROGRAM_FLATBUFFER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "executorch/span.h"

/* A table of a verified buffer, or the absent one. Never NULL. */
typedef const struct et_fb_table_start *et_fb_table;

/* A vector of scalars, of texts' bytes or of tables, likewise. */
typedef const struct et_fb_vector_start *et_fb_vector;

/* The absent table, and the empty vector. */
extern const uint8_t et_fb_zeros[sizeof(uint64_t)];
#define ET_FB_ABSENT_TABLE ((et_fb_table)(const void *)et_fb_zeros)
#define ET_FB_EMPTY_VECTOR ((et_fb_vector)(const void *)et_fb_zeros)

/* The steps of the verification. Of a table, nothing is followed but the way to its
 * vtable. */

/* Bytes of the table at `position` and of its vtable, at most 2^17; 0 when one of them
 * does not lie in the buffer. */
uint32_t et_fb_check_table(et_span buffer, uint32_t position);

/* Where the offset stored at `position` leads; 0 when that is outside. */
uint32_t et_fb_check_offset(et_span buffer, uint32_t position);

/* Whether the vector whose length is stored at `position`, of `width` bytes an element,
 * lies in the buffer. */
bool et_fb_check_vector(et_span buffer, uint32_t position, uint32_t width);

/* Where in a table that lies in its buffer, or in the absent one, the `width` bytes of a
 * field begin: ET_FB_BROKEN when they do not lie in the table. */
uint32_t et_fb_find(et_fb_table table, unsigned field, uint32_t width);
#define ET_FB_ABSENT 0u
#define ET_FB_BROKEN 1u /* fields come behind the table's way to its vtable */

/* The table at `position`. */
static inline et_fb_table et_fb_table_at(et_span buffer, uint32_t position) {
  return (et_fb_table)(const void *)(buffer.data + position);
}

/* Its place, or that of a vector, neither of which is absent. */
static inline uint32_t et_fb_position(et_span buffer, const void *there) {
  return (uint32_t)((const uint8_t *)there - buffer.data);
}

/* Fields of a table. A string's and a byte vector's bytes are borrowed. */
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

/* Elements of a vector. */
static inline uint32_t et_fb_count(et_fb_vector vector) {
  uint32_t count;
  memcpy(&count, vector, sizeof count);
  return count;
}
uint32_t et_fb_u32_at(et_fb_vector vector, uint32_t index);
float et_fb_f32_at(et_fb_vector vector, uint32_t index);
uint64_t et_fb_u64_at(et_fb_vector vector, uint32_t index);
et_fb_table et_fb_child_at(et_fb_vector vector, uint32_t index);

/* As signed numbers. */
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

/* Where the vector's first element lies, or would. */
static inline const uint8_t *et_fb_first(et_fb_vector vector) {
  return (const uint8_t *)vector + sizeof(uint32_t);
}

/* The vector's first byte, NULL when it is empty. */
const uint8_t *et_fb_data(et_fb_vector vector);

#endif /* ET_RUNTIME_PROGRAM_FLATBUFFER_H_ */
