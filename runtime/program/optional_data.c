/* Calls the code for .ptd files and for files that are read in pieces. The code
 * itself is linked only with et_program_load_sources. */
#include "executorch/checked.h"
#include "runtime/core/error.h"
#include "runtime/program/external.h"
#include "runtime/program/reading.h"
#include "runtime/program/tensor_record.h"

const uint8_t *et_data_find(const et_program *program, const et_data *data,
                            const et_piece *piece) {
  if (piece->size == 0) {
    return NULL;
  }
  if (et_range_in(piece->offset, piece->size, program->file.size)) {
    return program->file.data + piece->offset;
  }
  return program->reading != NULL ? program->reading->find(program, data, piece)
                                  : NULL;
}

et_status et_data_get(const et_program *program, const et_data *data,
                      et_piece piece, et_span *out_bytes, et_error *error) {
  if (program->reading != NULL && piece.size != 0) {
    return program->reading->get(program, data, piece, out_bytes, error);
  }
  out_bytes->data = et_data_find(program, data, &piece);
  out_bytes->size = piece.size;
  return ET_STATUS_OK;
}

et_status et_external_absent(const et_program *program, uint32_t index,
                             const et_tensor_record *record, et_error *error) {
  const size_t files =
      program->source_count > 1 ? program->source_count - 1 : 0;
  return et_fail(error, ET_STATUS_NOT_FOUND,
                 "values[%u]: none of the %zu external files (.ptd) has the "
                 "key '%s'; pass its file to et_program_load_sources",
                 (unsigned)index, files, et_tensor_record_key(record).data);
}

et_status et_external_check(const et_program *program, uint32_t index,
                            const et_tensor_record *record, et_error *error) {
  return program->external != NULL
             ? program->external->check(program, index, record, error)
             : et_external_absent(program, index, record, error);
}
