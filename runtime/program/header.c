#include "runtime/program/header.h"

#include <stdbool.h>
#include <string.h>

#include "executorch/checked.h"

/* Flatbuffer: root offset, then the identifier. The extended header follows. */
#define IDENTIFIER "ET12"
#define IDENTIFIER_AT 4
#define MAGIC "eh00"
#define MAGIC_AT 8
#define LENGTH_AT 12
#define PROGRAM_SIZE_AT 16
#define SEGMENT_BASE_AT 24
#define SEGMENT_SIZE_AT 32

/* Length of the header up to and with the field of that name. */
#define LENGTH_WITH_BASE 24
#define LENGTH_WITH_SIZE 32

static uint32_t u32_at(et_span file, size_t position) {
  uint32_t value = 0;
  memcpy(&value, file.data + position, sizeof value);
  return value;
}

static uint64_t u64_at(et_span file, size_t position) {
  uint64_t value = 0;
  memcpy(&value, file.data + position, sizeof value);
  return value;
}

static et_status check_identifier(et_span file, et_error *error) {
  if (file.size < MAGIC_AT) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "a file of %zu bytes is too short for a program", file.size);
  }
  const uint8_t *found = file.data + IDENTIFIER_AT;
  if (memcmp(found, IDENTIFIER, 4) != 0) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "bytes %x %x %x %x are no identifier of a program; "
                   "expected those of '" IDENTIFIER "'",
                   (unsigned)found[0], (unsigned)found[1], (unsigned)found[2],
                   (unsigned)found[3]);
  }
  return ET_STATUS_OK;
}

static bool has_header(et_span file) {
  return file.size >= MAGIC_AT + LENGTH_WITH_BASE &&
         memcmp(file.data + MAGIC_AT, MAGIC, 4) == 0;
}

static et_status split_segments(et_span file, uint64_t program_size,
                                uint64_t base, uint64_t size,
                                et_program *program, et_error *error) {
  if (base == 0 && size == 0) {
    return ET_STATUS_OK;
  }
  if (base < program_size || !et_range_in(base, size, file.size)) {
    return et_fail(
        error, ET_STATUS_INVALID_PROGRAM,
        "header: %llu bytes of segments at %llu do not lie behind the "
        "tables in a file of %zu bytes",
        (unsigned long long)size, (unsigned long long)base, file.size);
  }
  program->segments.data = file.data + base;
  program->segments.size = (size_t)size;
  return ET_STATUS_OK;
}

/* Bytes of segments; a header without that field, or with 0 in it, leaves the rest
 * of the file. */
static uint64_t segment_bytes(et_span file, uint32_t length, uint64_t base) {
  const uint64_t stated =
      length >= LENGTH_WITH_SIZE ? u64_at(file, SEGMENT_SIZE_AT) : 0;
  if (stated != 0) {
    return stated;
  }
  return base != 0 && base <= file.size ? file.size - base : 0;
}

static et_status parse_extended(et_span file, et_program *program,
                                et_error *error) {
  const uint32_t length = u32_at(file, LENGTH_AT);
  if (length < LENGTH_WITH_BASE || !et_range_in(MAGIC_AT, length, file.size)) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "header: its length %u does not fit", (unsigned)length);
  }
  const uint64_t program_size = u64_at(file, PROGRAM_SIZE_AT);
  if (program_size < (uint64_t)MAGIC_AT + length || program_size > file.size) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "header: %llu bytes of tables in a file of %zu bytes",
                   (unsigned long long)program_size, file.size);
  }
  program->flatbuffer.size = (size_t)program_size;
  const uint64_t base = u64_at(file, SEGMENT_BASE_AT);
  return split_segments(file, program_size, base,
                        segment_bytes(file, length, base), program, error);
}

et_status et_header_parse(et_span file, et_program *out_program,
                          et_error *error) {
  ET_RETURN_IF_ERROR(check_identifier(file, error));
  const et_program program = {file, file, {NULL, 0}, u32_at(file, 0)};
  *out_program = program;
  return has_header(file) ? parse_extended(file, out_program, error)
                          : ET_STATUS_OK;
}
