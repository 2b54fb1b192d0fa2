/* Access to the bytes of a program's sources, in memory or read on demand. */
#ifndef ET_RUNTIME_PROGRAM_SOURCE_H_
#define ET_RUNTIME_PROGRAM_SOURCE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"

/* A range of bytes in a source or in a program.
 *
 * A program's address space concatenates its sources, each aligned to
 * ET_SOURCE_ALIGNMENT. The .pte is the first source, so its pieces have the
 * same offset in both. */
typedef struct et_piece {
  uint64_t offset;
  size_t size;
} et_piece;

/* INVALID_ARGUMENT: the source is empty; an extent is empty, misaligned, out of
 * order, overlapping or out of bounds; or there is a gap between extents and no
 * read function. */
et_status et_source_check(const et_data_source *source, et_error *error);

/* Preserves the alignment of data in a source. */
#define ET_SOURCE_ALIGNMENT 64

/* Returns the offset of source `index` in the program. */
uint64_t et_source_base(const et_program *program, size_t index);

/* INVALID_ARGUMENT: the sources exceed the address space. */
et_status et_source_check_bases(const et_program *program, et_error *error);

/* Returns the source of a piece of the program. *local is the piece within the
 * source. */
const et_data_source *et_source_of(const et_program *program, et_piece piece,
                                   et_piece *local);

/* Returns the address of a piece of the program, or NULL if it is empty or not
 * in one extent. The piece must be within one source. */
const uint8_t *et_source_address(const et_program *program, et_piece piece);

/* Copies a piece of the source to `out`, from extents or by reading. */
et_status et_source_read(const et_data_source *source, et_piece piece,
                         uint8_t *out, et_error *error);

/* Verifies the file and opens it as a program without other sources. The
 * source's extents have already been checked. */
et_status et_load_program(const et_data_source *source, et_program *out_program,
                          et_error *error);

#endif /* ET_RUNTIME_PROGRAM_SOURCE_H_ */
