/* Bytes of a program's sources, wherever they lie. */
#ifndef ET_RUNTIME_PROGRAM_SOURCE_H_
#define ET_RUNTIME_PROGRAM_SOURCE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"

/* Bytes of a source, by their place in it or in a program: sources follow each other
 * there as if they were one file, each at a multiple of ET_SOURCE_ALIGNMENT, so that
 * a piece of the .pte, which is the first, has one place. */
typedef struct et_piece {
  uint64_t offset;
  size_t size;
} et_piece;

/* INVALID_ARGUMENT when it is empty, when extents are empty, not aligned, out of order, overlap or do
 * not lie in the source, or when nothing gives the bytes between them. */
et_status et_source_check(const et_data_source *source, et_error *error);

/* Keeps what is aligned in a source aligned in the program. */
#define ET_SOURCE_ALIGNMENT 64

/* The place in the program of the first byte of source `index`. */
uint64_t et_source_base(const et_program *program, size_t index);

/* INVALID_ARGUMENT when the sources are more bytes than there are places. */
et_status et_source_check_bases(const et_program *program, et_error *error);

/* The source that the program's piece lies in; *local is the piece in that. */
const et_data_source *et_source_of(const et_program *program, et_piece piece,
                                   et_piece *local);

/* Where the program's piece lies in memory; NULL when it is empty or not in one extent. The
 * piece must lie in one source. */
const uint8_t *et_source_address(const et_program *program, et_piece piece);

/* Puts a piece of the source together from extents and what it reads. */
et_status et_source_read(const et_data_source *source, et_piece piece,
                         uint8_t *out, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_SOURCE_H_ */
