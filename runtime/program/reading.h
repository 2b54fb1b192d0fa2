/* Reads data of a method that no extent contains completely.
 *
 * The data is assembled from extents, or read, into the method's memory. */
#ifndef ET_RUNTIME_PROGRAM_READING_H_
#define ET_RUNTIME_PROGRAM_READING_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/program/pieces.h"
#include "runtime/program/source.h"

/* The operations. They are in a table that only et_program_load_sources refers
 * to, so programs in one piece do not link them. */
struct et_reading {
  /* Returns the number of bytes for all ranges and their list, and the offset
   * of the list. Both are 0 if all data can be used in place.
   * OUT_OF_RESOURCES: too many ranges. */
  et_status (*measure)(const et_data_needs *needs, size_t *out_list,
                       size_t *out_bytes);
  /* Places the ranges in `buffer`, which has the measured size, and reads the
   * data that is always needed. */
  et_status (*build)(const et_data_needs *needs, et_mutable_span buffer,
                     size_t list, et_data *out_data);
  /* Returns the bytes of a non-empty piece that is read or in place. */
  const uint8_t *(*find)(const et_program *program, const et_data *data,
                         const et_piece *piece);
  /* Returns the bytes of a piece, and reads it first if necessary. */
  et_status (*get)(const et_program *program, const et_data *data,
                   et_piece piece, et_span *out_bytes, et_error *error);
};

extern const struct et_reading et_reading;

/* Returns the bytes of a piece that is read or in place; NULL if it is
 * empty. */
const uint8_t *et_data_find(const et_program *program, const et_data *data,
                            const et_piece *piece);

/* Returns the bytes of a piece, and reads it first if necessary. */
et_status et_data_get(const et_program *program, const et_data *data,
                      et_piece piece, et_span *out_bytes, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_READING_H_ */
