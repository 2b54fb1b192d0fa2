/* What the .ptd files of a program hold together. */
#ifndef ET_RUNTIME_PROGRAM_EXTERNAL_H_
#define ET_RUNTIME_PROGRAM_EXTERNAL_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/program.h"
#include "executorch/status.h"
#include "runtime/program/source.h"
#include "runtime/program/tensor_record.h"

/* Verifies every file, and that none has a key of another. INVALID_EXTERNAL_DATA
 * names the source at fault. */
et_status et_external_verify(const et_program *program, et_error *error);

/* The bytes of a tensor that is external. False when no file has its key. */
bool et_external_tensor(const et_program *program,
                        const et_tensor_record *record, et_piece *out);

/* That a file has the tensor, with its dtype, sizes and dim order. NOT_FOUND or
 * INVALID_EXTERNAL_DATA names value `index`, the key and the file. */
et_status et_external_check(const et_program *program, uint32_t index,
                            const et_tensor_record *record, et_error *error);

/* Bytes, with no layout, under `key`. */
bool et_external_bytes(const et_program *program, et_string key, et_piece *out);

/* Number of entries of all files, and the bytes of one that has no layout. */
uint32_t et_external_count(const et_program *program);
bool et_external_bytes_at(const et_program *program, uint32_t index,
                          et_piece *out);

#endif /* ET_RUNTIME_PROGRAM_EXTERNAL_H_ */
