/* Constants and payloads of a method that do not lie whole in one extent: put together or
 * read into memory of the method's. */
#ifndef ET_RUNTIME_PROGRAM_READING_H_
#define ET_RUNTIME_PROGRAM_READING_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/method_layout.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/program/pieces.h"
#include "runtime/program/source.h"

/* A table, so that programs in one piece are linked without: et_program_load_sources
 * alone refers to it. */
struct et_reading {
  /* Bytes of all runs and of their list, and where among them that lies; 0 when all data
   * can be used where it is. OUT_OF_RESOURCES when they are too many. */
  et_status (*measure)(const et_data_needs *needs, size_t *out_list,
                       size_t *out_bytes);
  /* Lays the runs out in `room`, as it was measured, and reads what is needed for
   * sure. */
  et_status (*build)(const et_data_needs *needs, et_mutable_span room,
                     size_t list, et_data *out_data);
  /* The bytes of a piece that is not empty and has been read, or needs not be. */
  const uint8_t *(*find)(const et_program *program, const et_data *data,
                         const et_piece *piece);
  /* The same for a piece that perhaps nobody has needed yet. */
  et_status (*get)(const et_program *program, const et_data *data,
                   et_piece piece, et_span *out_bytes, et_error *error);
};

extern const struct et_reading et_reading;

/* The bytes of a piece that has been read, or needs not be; NULL when it is empty. */
const uint8_t *et_data_find(const et_program *program, const et_data *data,
                            const et_piece *piece);

/* The same for a piece that perhaps nobody has needed yet. */
et_status et_data_get(const et_program *program, const et_data *data,
                      et_piece piece, et_span *out_bytes, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_READING_H_ */
