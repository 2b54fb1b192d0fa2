/* Reading flatbuffers without trusting them.
 *
 * Every reader checks that what it reads lies in the buffer; what does not, or
 * is absent, reads as the default (0, empty). So a damaged buffer can give
 * wrong values, never a bad access. Whether it *is* damaged is asked once, by
 * schema_verify.h, before anything is used.
 *
 * Positions are bytes from the start of the buffer. Numbers are little-endian
 * and may lie unaligned. */
#ifndef ET_RUNTIME_PROGRAM_FLATBUFFER_H_
#define ET_RUNTIME_PROGRAM_FLATBUFFER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"

/* A table. All zero is the absent table, whose fields are all absent. */
typedef struct et_fb_table {
  et_span buffer;
  uint32_t position;    /* of the table */
  uint32_t vtable;      /* position of its vtable */
  uint16_t vtable_size; /* bytes */
  uint16_t size;        /* bytes of the table's own data */
} et_fb_table;

/* A vector of scalars (`width` bytes an element) or of offsets (width 4). All
 * zero is the empty vector. */
typedef struct et_fb_vector {
  et_span buffer;
  uint32_t position; /* of the first element */
  uint32_t count;    /* elements */
  uint32_t width;
} et_fb_vector;

/* What a field's slot holds. */
typedef enum et_fb_presence {
  ET_FB_ABSENT,
  ET_FB_PRESENT,
  ET_FB_BROKEN, /* the vtable or the slot points outside the table */
} et_fb_presence;

/* The table at `position`. False, and the absent table, when the table or its
 * vtable does not lie in the buffer. */
bool et_fb_table_at(et_span buffer, uint32_t position, et_fb_table *out);

/* Where the `width` bytes of a field lie. */
et_fb_presence et_fb_find(const et_fb_table *table, uint16_t field,
                          size_t width, uint32_t *out_position);

/* Follows the offset stored at `position`. False when it leads outside. */
bool et_fb_follow(et_span buffer, uint32_t position, uint32_t *out_target);

/* The vector whose length is stored at `position`. False, and the empty vector,
 * when it does not lie in the buffer. */
bool et_fb_vector_at(et_span buffer, uint32_t position, uint32_t width,
                     et_fb_vector *out);

/* Fields of a table. A string's and a byte vector's bytes are borrowed. */
uint8_t et_fb_u8(const et_fb_table *table, uint16_t field);
int16_t et_fb_i16(const et_fb_table *table, uint16_t field);
uint32_t et_fb_u32(const et_fb_table *table, uint16_t field);
uint64_t et_fb_u64(const et_fb_table *table, uint16_t field);
float et_fb_f32(const et_fb_table *table, uint16_t field);
double et_fb_f64(const et_fb_table *table, uint16_t field);
bool et_fb_has(const et_fb_table *table, uint16_t field);
et_fb_table et_fb_child(const et_fb_table *table, uint16_t field);
et_fb_vector et_fb_list(const et_fb_table *table, uint16_t field,
                        uint32_t width);
et_string et_fb_text(const et_fb_table *table, uint16_t field);
et_span et_fb_bytes(const et_fb_table *table, uint16_t field);

/* Elements of a vector; an index past its end reads as 0 or the absent
 * table. */
uint32_t et_fb_u32_at(const et_fb_vector *vector, uint32_t index);
float et_fb_f32_at(const et_fb_vector *vector, uint32_t index);
uint64_t et_fb_u64_at(const et_fb_vector *vector, uint32_t index);
et_fb_table et_fb_child_at(const et_fb_vector *vector, uint32_t index);

/* As signed numbers. */
static inline int8_t et_fb_i8(const et_fb_table *table, uint16_t field) {
  return (int8_t)et_fb_u8(table, field);
}
static inline int32_t et_fb_i32(const et_fb_table *table, uint16_t field) {
  return (int32_t)et_fb_u32(table, field);
}
static inline int64_t et_fb_i64(const et_fb_table *table, uint16_t field) {
  return (int64_t)et_fb_u64(table, field);
}
static inline int32_t et_fb_i32_at(const et_fb_vector *vector, uint32_t index) {
  return (int32_t)et_fb_u32_at(vector, index);
}
static inline int64_t et_fb_i64_at(const et_fb_vector *vector, uint32_t index) {
  return (int64_t)et_fb_u64_at(vector, index);
}

/* The vector's first byte, NULL when it is empty. */
const uint8_t *et_fb_data(const et_fb_vector *vector);

#endif /* ET_RUNTIME_PROGRAM_FLATBUFFER_H_ */
