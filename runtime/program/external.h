/* What the .ptd files of a program hold together. */
#ifndef ET_RUNTIME_PROGRAM_EXTERNAL_H_
#define ET_RUNTIME_PROGRAM_EXTERNAL_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/schema.h"
#include "runtime/program/source.h"
#include "runtime/program/tensor_record.h"

/* What a program with such files asks of them. A table, so that programs without
 * are linked without: et_program_load_sources alone refers to it. */
typedef struct et_external {
  /* Verifies every file, and that none has a key of another. INVALID_EXTERNAL_DATA
   * names the source at fault. */
  et_status (*verify)(const et_program *program, et_error *error);
  /* That a file has the tensor, with its dtype, sizes and dim order.
   * NOT_FOUND or INVALID_EXTERNAL_DATA names value `index`, the key and the file. */
  et_status (*check)(const et_program *program, uint32_t index,
                     const et_tensor_record *record, et_error *error);
  /* The bytes of a tensor that is external. False when no file has its key. */
  bool (*tensor)(const et_program *program, const et_tensor_record *record,
                 et_piece *out);
  /* Bytes, with no layout, under `key`. */
  bool (*bytes)(const et_program *program, et_string key, et_piece *out);
  /* Number of entries of all files, and the bytes of one that has no layout. */
  uint32_t (*count)(const et_program *program);
  bool (*bytes_at)(const et_program *program, uint32_t index, et_piece *out);
} et_external;

extern const et_external et_external_files;

/* The name under which a file has the tensor. */
static inline et_string et_external_key(const et_tensor_record *record) {
  const et_fb_table extra = et_fb_child(record->table, ET_TENSOR_EXTRA);
  return et_fb_text(extra, ET_EXTRA_NAME);
}

/* NOT_FOUND: none of the program's files, if it has any, has the tensor's key. */
et_status et_external_absent(const et_program *program, uint32_t index,
                             const et_tensor_record *record, et_error *error);

/* check, or NOT_FOUND for a program without files. */
et_status et_external_check(const et_program *program, uint32_t index,
                            const et_tensor_record *record, et_error *error);

static inline bool et_external_tensor(const et_program *program,
                                      const et_tensor_record *record,
                                      et_piece *out) {
  return program->external != NULL &&
         program->external->tensor(program, record, out);
}

static inline bool et_external_bytes(const et_program *program, et_string key,
                                     et_piece *out) {
  return program->external != NULL &&
         program->external->bytes(program, key, out);
}

static inline uint32_t et_external_count(const et_program *program) {
  return program->external != NULL ? program->external->count(program) : 0;
}

static inline bool et_external_bytes_at(const et_program *program,
                                        uint32_t index, et_piece *out) {
  return program->external != NULL &&
         program->external->bytes_at(program, index, out);
}

#endif /* ET_RUNTIME_PROGRAM_EXTERNAL_H_ */
