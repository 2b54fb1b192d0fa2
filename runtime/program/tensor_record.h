/* A Tensor table, decoded. */
#ifndef ET_RUNTIME_PROGRAM_TENSOR_RECORD_H_
#define ET_RUNTIME_PROGRAM_TENSOR_RECORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "executorch/tensor.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/source.h"

/* As the file says it. */
typedef struct et_tensor_record {
  et_fb_table table;
  const uint8_t *dim_order; /* `rank` entries in the file */
  uint32_t rank;
  int32_t dtype;        /* code of the file format, perhaps unknown */
  int8_t dynamism;      /* et_shape_dynamism, or 2: unbounded */
  uint32_t data_buffer; /* of initial data in the program; 0: none */
  bool is_external;     /* initial data lies in a .ptd file */
  bool has_data;        /* in one or the other */
  bool is_planned;      /* lies in planned memory: */
  uint32_t memory_id;
  uint64_t memory_offset;
  /* What follows from it: */
  size_t numel;
  size_t nbytes; /* 0 when the dtype is not known to this runtime */
  /* Last, so that machines address the others in fewer bytes. */
  int32_t sizes[ET_MAX_RANK]; /* upper bounds where dynamic */
  int32_t strides[ET_MAX_RANK];
} et_tensor_record;

/* TensorShapeDynamism that et_shape_dynamism leaves out. */
#define ET_SHAPE_DYNAMIC_UNBOUND 2

/* Decodes and checks the table. INVALID_PROGRAM for a rank over the limit,
 * sizes that are negative or overflow, a dim_order that is no permutation, an
 * unknown dtype, dynamism, layout or location; NOT_SUPPORTED for a storage
 * offset. */
et_status et_tensor_record_read(et_fb_table table, et_tensor_record *out_record,
                                et_error *error);

/* Where the `nbytes` lie that the tensor starts with: its constant or, when it is
 * planned, its initial state. False when data_buffer does not name them, or no .ptd
 * file has them. */
bool et_tensor_record_data(const et_program *program,
                           const et_tensor_record *record, et_piece *out);

/* Whether bytes at `offset` are aligned for its elements, whose sizes are powers of two. */
static inline bool et_tensor_record_fits_at(const et_tensor_record *record,
                                            uint64_t offset) {
  const size_t size = et_scalar_type_size(record->dtype);
  return size == 0 || ((size_t)offset & (size - 1)) == 0;
}

#endif /* ET_RUNTIME_PROGRAM_TENSOR_RECORD_H_ */
