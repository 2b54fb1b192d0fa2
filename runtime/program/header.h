/* The headers of .pte and .ptd files: identifier, root and extended header.
 *
 * The extended header of a .pte file states the sizes of the flatbuffer and the
 * segments. */
#ifndef ET_RUNTIME_PROGRAM_HEADER_H_
#define ET_RUNTIME_PROGRAM_HEADER_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"

/* A flatbuffer starts with the root offset and the identifier. An extended
 * header follows. */
#define ET_HEAD_IDENTIFIER_AT 4
#define ET_HEAD_MAGIC_AT 8

/* Read header fields, which must be within `file`. */
static inline uint32_t et_head_u32(et_span file, size_t position) {
  uint32_t value;
  memcpy(&value, file.data + position, sizeof value);
  return value;
}

static inline uint64_t et_head_u64(et_span file, size_t position) {
  uint64_t value;
  memcpy(&value, file.data + position, sizeof value);
  return value;
}

/* INVALID_PROGRAM: the file is too short for an identifier, or has a different
 * one. `what` is the kind of file, for the message. */
et_status et_head_check_identifier(et_span file, const char *identifier,
                                   const char *what, et_error *error);

/* INVALID_ARGUMENT: the first extent does not begin at 0, or has less than
 * `needed` bytes of `what`. */
et_status et_head_check_extent(const et_data_source *source, uint64_t needed,
                               const char *what, et_error *error);

/* Splits the file into flatbuffer and segments. Its first extent begins at 0.
 *
 * On error, *out_program is undefined. INVALID_PROGRAM: wrong identifier, or
 * the file is truncated. INVALID_ARGUMENT: the first extent does not hold all
 * tables. */
et_status et_header_parse(const et_data_source *source, et_program *out_program,
                          et_error *error);

#endif /* ET_RUNTIME_PROGRAM_HEADER_H_ */
