/* Bytes of a program's source, wherever they lie. */
#ifndef ET_RUNTIME_PROGRAM_SOURCE_H_
#define ET_RUNTIME_PROGRAM_SOURCE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"

/* Bytes of the file, by their place in it. */
typedef struct et_piece {
  uint64_t offset;
  size_t size;
} et_piece;

/* INVALID_ARGUMENT when it is empty, when extents are empty, not aligned, out of order, overlap or do
 * not lie in the source, or when nothing gives the bytes between them. */
et_status et_source_check(const et_data_source *source, et_error *error);

/* Where the piece lies in memory; NULL when it is empty or not in one extent. The
 * piece must lie in the file. */
const uint8_t *et_source_address(const et_program *program, et_piece piece);

/* Puts the piece together from extents and what the source reads. */
et_status et_source_read(const et_data_source *source, et_piece piece,
                         uint8_t *out, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_SOURCE_H_ */
