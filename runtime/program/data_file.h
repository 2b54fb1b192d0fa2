/* Reads .ptd files: named tensors and named bytes. */
#ifndef ET_RUNTIME_PROGRAM_DATA_FILE_H_
#define ET_RUNTIME_PROGRAM_DATA_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "executorch/tensor.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/tables.h"

typedef struct et_data_file {
  const et_data_source *source;
  et_span flatbuffer;
  uint32_t root;
  et_fb_vector named; /* NamedData table */
  /* Offsets are in the program's address space (et_piece). */
  et_segments segments;
} et_data_file;

/* A decoded TensorLayout table. */
typedef struct et_data_layout {
  int32_t dtype; /* code of the file format, possibly unknown */
  uint32_t rank;
  int32_t sizes[ET_MAX_RANK];
  const uint8_t *dim_order; /* `rank` entries */
  size_t nbytes;            /* 0 if this runtime does not know the dtype */
} et_data_layout;

/* Opens source `index` > 0 of the program, and verifies structure, segments,
 * names and layouts.
 *
 * Sets out->source even on failure. INVALID_PROGRAM: also if the header is not
 * that of a .ptd file, or the file is truncated. INVALID_ARGUMENT: the first
 * extent does not hold all tables. */
et_status et_data_file_verify(const et_program *program, size_t index,
                              et_data_file *out, et_error *error);

/* Opens source `index` > 0, which is already verified. */
et_status et_data_file_open(const et_program *program, size_t index,
                            et_data_file *out, et_error *error);

/* Finds the entry for `key` and the piece with its bytes. Returns false if it
 * is missing. */
bool et_data_file_find(const et_data_file *file, et_string key,
                       et_fb_table *out_entry, et_piece *out_piece);

/* Decodes and checks the TensorLayout of an entry that has one. Errors: see
 * et_tensor_record_read. */
et_status et_data_layout_read(et_fb_table entry, et_data_layout *out,
                              et_error *error);

#endif /* ET_RUNTIME_PROGRAM_DATA_FILE_H_ */
