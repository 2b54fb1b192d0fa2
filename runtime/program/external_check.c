#include "runtime/core/reason.h"
#include "runtime/program/external.h"

et_status et_external_absent(const et_program *program, uint32_t index,
                             const et_tensor_record *record, et_error *error) {
  const size_t files =
      program->source_count > 1 ? program->source_count - 1 : 0;
  return et_fail(error, ET_STATUS_NOT_FOUND,
                 "values[%u]: none of the %zu external files (.ptd) has the "
                 "key '%s'; pass its file to et_program_load_sources",
                 (unsigned)index, files, et_external_key(record).data);
}

et_status et_external_check(const et_program *program, uint32_t index,
                            const et_tensor_record *record, et_error *error) {
  return program->external != NULL
             ? program->external->check(program, index, record, error)
             : et_external_absent(program, index, record, error);
}
