/* What a method needs of the segments and cannot use where it lies. */
#ifndef ET_RUNTIME_PROGRAM_PIECES_H_
#define ET_RUNTIME_PROGRAM_PIECES_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/source.h"

/* A method, as what it needs is asked. */
typedef struct et_data_needs {
  const et_program *program;
  et_fb_vector values;    /* EValues of its plan */
  et_fb_vector delegates; /* BackendDelegates of its plan */
  et_error *error;
} et_data_needs;

/* Entries looked at in one pass: they lie on the stack. */
#define ET_PIECE_WINDOW 256

/* Goes through the pieces by their place in the file, without memory: each pass looks
 * at all of them and keeps the next ones. Overlapping pieces become one. */
typedef struct et_piece_walk {
  const et_data_needs *needs;
  uint32_t count;      /* of all pieces of the method */
  uint32_t steps_left; /* pieces that may be looked at yet */
  uint64_t from;       /* later ones are still to come */
  uint32_t used;       /* entries of the window */
  uint32_t next;
  et_piece window[ET_PIECE_WINDOW]; /* by rising offset */
} et_piece_walk;

void et_piece_walk_start(et_piece_walk *walk, const et_data_needs *needs);

/* Sets *out to the next run of bytes; of size 0 behind the last. OUT_OF_RESOURCES
 * when they are too many to be sorted like this. */
et_status et_piece_walk_next(et_piece_walk *walk, et_piece *out);

/* The pieces of a method that it needs in any case: constants, initial values,
 * payloads; behind them, to et_piece_count, named data, which delegates may ask for.
 * False when there is none under that number, or it can be used where it lies. */
uint32_t et_piece_needed_count(const et_data_needs *needs);
uint32_t et_piece_count(const et_data_needs *needs);
bool et_piece_at(const et_data_needs *needs, uint32_t index, et_piece *out);

#endif /* ET_RUNTIME_PROGRAM_PIECES_H_ */
