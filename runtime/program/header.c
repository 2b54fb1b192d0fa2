#include "runtime/program/header.h"

#include <stdbool.h>
#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"

et_status et_head_check_identifier(et_span file, const char *identifier,
                                   const char *what, et_error *error) {
  if (file.size < ET_HEAD_MAGIC_AT) {
    return et_fail_program(error, "a file of %zu bytes is too short; pass %s",
                           file.size, what);
  }
  const uint8_t *found = file.data + ET_HEAD_IDENTIFIER_AT;
  if (memcmp(found, identifier, 4) != 0) {
    return et_fail_program(
        error, "bytes %x %x %x %x are not the identifier '%s'; pass %s",
        (unsigned)found[0], (unsigned)found[1], (unsigned)found[2],
        (unsigned)found[3], identifier, what);
  }
  return ET_STATUS_OK;
}

et_status et_head_check_extent(const et_data_source *source, uint64_t needed,
                               const char *what, et_error *error) {
  const size_t there =
      source->extent_count != 0 && source->extents[0].offset == 0
          ? source->extents[0].bytes.size
          : 0;
  return needed <= there
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "source '%s': the first extent must start at 0 and hold "
                       "the %llu bytes of %s, but holds %zu",
                       source->name, (unsigned long long)needed, what, there);
}

#define IDENTIFIER "ET12"
#define MAGIC "eh00"
#define MAGIC_AT ET_HEAD_MAGIC_AT
#define LENGTH_AT 12
#define PROGRAM_SIZE_AT 16
#define SEGMENT_BASE_AT 24
#define SEGMENT_SIZE_AT 32

/* Length of a header that ends with this field. */
#define LENGTH_WITH_BASE 24
#define LENGTH_WITH_SIZE 32

static bool has_header(et_span file) {
  return file.size >= MAGIC_AT + LENGTH_WITH_BASE &&
         memcmp(file.data + MAGIC_AT, MAGIC, 4) == 0;
}

/* Finds the segments after the tables. If the header has no size, or 0, they
 * extend to the end of the file. */
static et_status split_segments(et_span file, uint64_t file_size,
                                uint64_t program_size, uint32_t length,
                                et_program *program, et_error *error) {
  const uint64_t base = et_head_u64(file, SEGMENT_BASE_AT);
  uint64_t size =
      length >= LENGTH_WITH_SIZE ? et_head_u64(file, SEGMENT_SIZE_AT) : 0;
  if (size == 0 && base <= file_size) {
    size = base != 0 ? file_size - base : 0;
  }
  if (base == 0 && size == 0) {
    return ET_STATUS_OK;
  }
  if (base < program_size || !et_range_in(base, size, file_size)) {
    return et_fail_program(error,
                           "header: %llu bytes of segments at %llu overlap the "
                           "tables or exceed the file of %llu bytes",
                           (unsigned long long)size, (unsigned long long)base,
                           (unsigned long long)file_size);
  }
  program->segments_offset = base;
  program->segments_size = size;
  return ET_STATUS_OK;
}

/* Finds the tables and the segments after them. */
static et_status parse_extended(et_span file, uint64_t file_size,
                                uint64_t *program_size, et_program *program,
                                et_error *error) {
  const uint32_t length = et_head_u32(file, LENGTH_AT);
  const uint64_t head = (uint64_t)MAGIC_AT + length;
  if (length < LENGTH_WITH_BASE || head > file_size) {
    return et_fail_program(error,
                           "header: length %u is too short or exceeds the file",
                           (unsigned)length);
  }
  *program_size = et_head_u64(file, PROGRAM_SIZE_AT);
  if (*program_size < head || *program_size > file_size) {
    return et_fail_program(error,
                           "header: %llu bytes of tables overlap the header or "
                           "exceed the file of %llu bytes",
                           (unsigned long long)*program_size,
                           (unsigned long long)file_size);
  }
  return split_segments(file, file_size, *program_size, length, program, error);
}

et_status et_header_parse(const et_data_source *source, et_program *out_program,
                          et_error *error) {
  uint64_t tables = source->size;
  const uint64_t head =
      tables < ET_PROGRAM_HEAD_BYTES ? tables : ET_PROGRAM_HEAD_BYTES;
  ET_RETURN_IF_ERROR(
      et_head_check_extent(source, head, ET_MESSAGE_TEXT("its header"), error));
  const et_span file = source->extents[0].bytes;
  ET_RETURN_IF_ERROR(et_head_check_identifier(
      file, IDENTIFIER, ET_MESSAGE_TEXT("a program (.pte)"), error));
  memset(out_program, 0, sizeof *out_program);
  out_program->file = file;
  out_program->root = et_head_u32(file, 0);
  if (has_header(file)) {
    ET_RETURN_IF_ERROR(
        parse_extended(file, source->size, &tables, out_program, error));
  }
  ET_RETURN_IF_ERROR(
      et_head_check_extent(source, tables, ET_MESSAGE_TEXT("tables"), error));
  out_program->flatbuffer.data = file.data;
  out_program->flatbuffer.size = (size_t)tables;
  return ET_STATUS_OK;
}
