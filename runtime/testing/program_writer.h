/* Writes programs with one method for tests, one value and instruction at a
 * time. */
#ifndef ET_RUNTIME_TESTING_PROGRAM_WRITER_H_
#define ET_RUNTIME_TESTING_PROGRAM_WRITER_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/scalar_type.h"
#include "executorch/span.h"
#include "runtime/testing/flatbuffer_writer.h"

#define ET_WRITER_BYTES (1u << 16)
#define ET_WRITER_ITEMS 64 /* maximum number of values, instructions, ... */

/* Offset of a tensor that is neither planned nor constant. */
#define ET_NOT_PLANNED (-1)

/* The fields are positions of tables that tests modify. */
typedef struct et_program_writer {
  et_fb_writer buffer;
  size_t program;
  size_t plan;
  size_t chain;
  size_t values; /* vectors with ET_WRITER_ITEMS slots */
  size_t instructions;
  size_t operators;
  size_t inputs;
  size_t outputs;
  size_t last_table; /* table of the last value or instruction */
  uint32_t value_count;
  uint32_t instruction_count;
  uint32_t operator_count;
  uint32_t input_count;
  uint32_t output_count;
  _Alignas(64) uint8_t bytes[ET_WRITER_BYTES];
} et_program_writer;

/* Starts a program with method "forward" and one planned buffer. */
void et_writer_start(et_program_writer *writer, int64_t planned_bytes);

/* Each function adds a value and returns its index. */
int32_t et_writer_int(et_program_writer *writer, int64_t value);
int32_t et_writer_bool(et_program_writer *writer, int value);
int32_t et_writer_double(et_program_writer *writer, double value);
int32_t et_writer_text(et_program_writer *writer, const char *value);
int32_t et_writer_none(et_program_writer *writer);
int32_t et_writer_int_list(et_program_writer *writer, const int64_t *items,
                           uint32_t count);
int32_t et_writer_tensor_list(et_program_writer *writer, const int32_t *items,
                              uint32_t count, uint8_t tag);

/* Adds a tensor of rank 1 at this offset of the planned buffer. */
int32_t et_writer_tensor(et_program_writer *writer, et_scalar_type dtype,
                         int32_t size, int32_t offset);

/* Adds a float32 tensor, the kind that most tests need. */
int32_t et_writer_floats(et_program_writer *writer, int32_t size,
                         int32_t offset);

/* Adds a value with any tag and a table of `fields` fields. For invalid
 * values. */
int32_t et_writer_value(et_program_writer *writer, uint8_t tag,
                        uint16_t fields);

void et_writer_input(et_program_writer *writer, int32_t value);
void et_writer_output(et_program_writer *writer, int32_t value);

/* Adds an operator and returns its index. */
int32_t et_writer_operator(et_program_writer *writer, const char *name,
                           const char *overload);

/* Each function adds an instruction. A call also adds its operator, named
 * "test::<name>" with overload "out". */
void et_writer_call(et_program_writer *writer, const char *name,
                    const int32_t *args, uint32_t count);
void et_writer_call_operator(et_program_writer *writer, int32_t op,
                             const int32_t *args, uint32_t count);
void et_writer_move(et_program_writer *writer, int32_t from, int32_t to);
void et_writer_jump_false(et_program_writer *writer, int32_t condition,
                          int32_t destination);
void et_writer_free(et_program_writer *writer, int32_t value);

/* Adds a delegate with an inline payload, and a call to it. */
void et_writer_delegate(et_program_writer *writer, const char *id,
                        const char *payload, const int32_t *args,
                        uint32_t count);

/* Returns the file, which is valid until the writer is used again. */
et_span et_writer_finish(et_program_writer *writer);

#endif /* ET_RUNTIME_TESTING_PROGRAM_WRITER_H_ */
