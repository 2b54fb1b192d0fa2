/* A .ptd file: tensors by name, and bytes by name. */
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
  et_fb_vector named;   /* NamedData */
  et_segments segments; /* by their place in the program */
} et_data_file;

/* What a TensorLayout says. */
typedef struct et_data_layout {
  int32_t dtype; /* code of the file format, perhaps unknown */
  uint32_t rank;
  int32_t sizes[ET_MAX_RANK];
  const uint8_t *dim_order; /* `rank` entries */
  size_t nbytes;            /* 0 when the dtype is not known to this runtime */
} et_data_layout;

/* Opens source `index` of the program, which is not 0, and verifies its structure,
 * segments, names and layouts. INVALID_PROGRAM also when the head is not that of a .ptd,
 * or the file is shorter than it says; INVALID_ARGUMENT when its first extent does not
 * hold all tables. *out has the source in any case. */
et_status et_data_file_verify(const et_program *program, size_t index,
                              et_data_file *out, et_error *error);

/* The same for one that was verified. */
et_status et_data_file_open(const et_program *program, size_t index,
                            et_data_file *out, et_error *error);

/* The entry under `key`, and its bytes by their place in the program. False when
 * there is none. */
bool et_data_file_find(const et_data_file *file, et_string key,
                       et_fb_table *out_entry, et_piece *out_piece);

/* Decodes and checks the TensorLayout of an entry that has one. INVALID_PROGRAM as
 * et_tensor_record_read. */
et_status et_data_layout_read(et_fb_table entry, et_data_layout *out,
                              et_error *error);

#endif /* ET_RUNTIME_PROGRAM_DATA_FILE_H_ */
