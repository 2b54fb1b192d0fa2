/* Decodes a Tensor table. */
#ifndef ET_RUNTIME_PROGRAM_TENSOR_RECORD_H_
#define ET_RUNTIME_PROGRAM_TENSOR_RECORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "executorch/tensor.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"
#include "runtime/program/source.h"

/* Fields as stored in the file. */
typedef struct et_tensor_record {
  et_fb_table table;
  const uint8_t *dim_order; /* `rank` entries, in the file */
  uint32_t rank;
  int32_t dtype;        /* code of the file format, possibly unknown */
  int8_t dynamism;      /* et_shape_dynamism, or 2 (unbounded) */
  uint32_t data_buffer; /* index of its initial data in the program; 0: none */
  bool is_external;     /* initial data is in a .ptd file */
  bool has_data;        /* has initial data in the program or in a .ptd file */
  bool is_planned;      /* is in planned memory, at the next two fields: */
  uint32_t memory_id;
  uint64_t memory_offset;
  /* Derived fields: */
  size_t numel;
  size_t nbytes; /* 0 if this runtime does not know the dtype */
  /* Last, so that the offsets of the other fields are small. */
  int32_t sizes[ET_MAX_RANK]; /* upper bounds if dynamic */
  int32_t strides[ET_MAX_RANK];
} et_tensor_record;

/* The TensorShapeDynamism that et_shape_dynamism does not have. */
#define ET_SHAPE_DYNAMIC_UNBOUND 2

/* Decodes and checks the table.
 *
 * INVALID_PROGRAM: the rank exceeds the limit; sizes are negative or overflow;
 * dim_order is not a permutation; or the dtype, dynamism, layout or location is
 * unknown. NOT_SUPPORTED: a storage offset. */
et_status et_tensor_record_read(et_fb_table table, et_tensor_record *out_record,
                                et_error *error);

/* Returns the key of an external tensor. */
static inline et_string et_tensor_record_key(const et_tensor_record *record) {
  const et_fb_table extra = et_fb_child(record->table, ET_TENSOR_EXTRA);
  return et_fb_text(extra, ET_EXTRA_NAME);
}

/* Finds the initial `nbytes` of the tensor: its constant, or the initial state
 * if it is planned. Returns false if data_buffer does not name them, or no .ptd
 * file contains them. */
bool et_tensor_record_data(const et_program *program,
                           const et_tensor_record *record, et_piece *out);

/* Returns true if `offset` is aligned for the elements, whose sizes are powers
 * of two. */
static inline bool et_tensor_record_fits_at(const et_tensor_record *record,
                                            uint64_t offset) {
  const size_t size = et_scalar_type_size(record->dtype);
  return size == 0 || ((size_t)offset & (size - 1)) == 0;
}

#endif /* ET_RUNTIME_PROGRAM_TENSOR_RECORD_H_ */
