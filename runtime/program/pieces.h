/* The data of a method that must be read because it cannot be used in place. */
#ifndef ET_RUNTIME_PROGRAM_PIECES_H_
#define ET_RUNTIME_PROGRAM_PIECES_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/source.h"

/* A method whose data is queried. */
typedef struct et_data_needs {
  const et_program *program;
  et_fb_vector values;    /* EValues of the plan */
  et_fb_vector delegates; /* BackendDelegates of the plan */
  et_error *error;
} et_data_needs;

/* Pieces collected in one pass; they are on the stack. */
#define ET_PIECE_WINDOW 256

/* Visits the pieces by file offset, without allocating memory.
 *
 * Each pass scans all pieces and keeps the next ones. Overlapping pieces are
 * merged. */
typedef struct et_piece_walk {
  const et_data_needs *needs;
  uint32_t count;      /* number of pieces of the method */
  uint32_t steps_left; /* remaining pieces to scan */
  uint64_t from;       /* offset of the next piece to visit */
  uint32_t used;       /* entries in the window */
  uint32_t next;
  et_piece window[ET_PIECE_WINDOW]; /* sorted by offset */
} et_piece_walk;

void et_piece_walk_start(et_piece_walk *walk, const et_data_needs *needs);

/* Returns the next range of bytes; its size is 0 after the last.
 * OUT_OF_RESOURCES: too many pieces to sort in passes. */
et_status et_piece_walk_next(et_piece_walk *walk, et_piece *out);

/* Pieces below et_piece_needed_count are always needed: constants, initial
 * values and payloads. Pieces from there to et_piece_count are named data,
 * which delegates may request. et_piece_at returns false if the piece does not
 * exist or can be used in place. */
uint32_t et_piece_needed_count(const et_data_needs *needs);
uint32_t et_piece_count(const et_data_needs *needs);
bool et_piece_at(const et_data_needs *needs, uint32_t index, et_piece *out);

#endif /* ET_RUNTIME_PROGRAM_PIECES_H_ */
