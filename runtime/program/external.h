/* Look-ups in all .ptd files of a program. */
#ifndef ET_RUNTIME_PROGRAM_EXTERNAL_H_
#define ET_RUNTIME_PROGRAM_EXTERNAL_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/source.h"

/* See runtime/program/tensor_record.h, which finds data with these
 * functions. */
typedef struct et_tensor_record et_tensor_record;

/* The operations on .ptd files.
 *
 * They are in a table that only et_program_load_sources refers to, so programs
 * without such files do not link them. */
typedef struct et_external {
  /* Verifies every file, and checks that each key is in only one file and not
   * in the program. INVALID_EXTERNAL_DATA: the message names the invalid
   * source. */
  et_status (*verify)(const et_program *program, et_error *error);
  /* Checks that a file contains the tensor with its dtype, sizes and dim order.
   * NOT_FOUND, INVALID_EXTERNAL_DATA: the message states the value `index`, the key
   * and the file. */
  et_status (*check)(const et_program *program, uint32_t index,
                     const et_tensor_record *record, et_error *error);
  /* Finds the bytes of an external tensor. Returns false if no file contains
   * its key. */
  bool (*tensor)(const et_program *program, const et_tensor_record *record,
                 et_piece *out);
  /* Finds the bytes of an entry without a layout. */
  bool (*bytes)(const et_program *program, et_string key, et_piece *out);
  /* Number of entries in all files, and the bytes of entry `index` if it has no
   * layout. */
  uint32_t (*count)(const et_program *program);
  bool (*bytes_at)(const et_program *program, uint32_t index, et_piece *out);
} et_external;

extern const et_external et_external_files;

/* Fails with NOT_FOUND: no file of the program has the tensor's key. */
et_status et_external_absent(const et_program *program, uint32_t index,
                             const et_tensor_record *record, et_error *error);

/* Calls et_external.check. NOT_FOUND if the program has no .ptd files. */
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
