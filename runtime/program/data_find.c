#include "executorch/checked.h"
#include "runtime/program/reading.h"

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
