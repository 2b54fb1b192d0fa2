/* Writes valid and invalid flatbuffers for tests. */
#ifndef ET_RUNTIME_TESTING_FLATBUFFER_WRITER_H_
#define ET_RUNTIME_TESTING_FLATBUFFER_WRITER_H_

#include <stddef.h>
#include <stdint.h>

/* The buffer grows only at its end, so an element is written after references
 * to it. */
typedef struct et_fb_writer {
  uint8_t *data;
  size_t size;
  size_t capacity; /* exceeding it ends the test program */
} et_fb_writer;

/* Appends zeros up to a multiple of `alignment`, then `count` bytes. Returns
 * the position of these bytes. */
size_t et_fb_append(et_fb_writer *writer, size_t count, size_t alignment);

/* Adds a table with `fields` absent fields. Returns its position. */
size_t et_fb_add_table(et_fb_writer *writer, uint16_t fields);

/* Sets a field to these bytes, at most 8. */
void et_fb_set(et_fb_writer *writer, size_t table, uint16_t field,
               const void *bytes, size_t size);
void et_fb_set_i8(et_fb_writer *writer, size_t table, uint16_t field,
                  int8_t value);
void et_fb_set_i32(et_fb_writer *writer, size_t table, uint16_t field,
                   int32_t value);
void et_fb_set_i64(et_fb_writer *writer, size_t table, uint16_t field,
                   int64_t value);

/* Sets a field to refer to a later position. */
void et_fb_refer(et_fb_writer *writer, size_t table, uint16_t field,
                 size_t target);

/* Adds a string, or a vector of `count` elements of `width` bytes. The elements
 * are zeros if `items` is NULL. Returns the position. */
size_t et_fb_add_text(et_fb_writer *writer, const char *text);
size_t et_fb_add_vector(et_fb_writer *writer, const void *items, uint32_t count,
                        size_t width);

/* Sets element `index` of a vector of offsets to refer to a later position. */
void et_fb_refer_element(et_fb_writer *writer, size_t vector, uint32_t index,
                         size_t target);

/* Overwrites four bytes. */
void et_fb_put_u32(et_fb_writer *writer, size_t position, uint32_t value);

#endif /* ET_RUNTIME_TESTING_FLATBUFFER_WRITER_H_ */
