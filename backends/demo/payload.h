/* Reader of the demo backend's payload: see PAYLOAD.md. */
#ifndef BACKENDS_DEMO_PAYLOAD_H_
#define BACKENDS_DEMO_PAYLOAD_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEMO_MAX_OPS 256
#define DEMO_MAX_INPUTS 64
#define DEMO_MAX_OUTPUTS 64
#define DEMO_MAX_CONSTANTS 64
#define DEMO_MAX_NUMEL 999999999
#define DEMO_MAX_OPERANDS 3
#define DEMO_MAX_CONSTANT_RANK 4

typedef enum demo_kind {
  DEMO_SIN,
  DEMO_COS,
  DEMO_MM,
  DEMO_ADD,
  DEMO_MUL,
  DEMO_DIV,
  DEMO_CONV_RELU,
} demo_kind;

/* Number of a value, in both versions: input i is i, constant i is
 * DEMO_FIRST_CONSTANT + i, and the result of op k is DEMO_FIRST_RESULT + k. */
typedef uint16_t demo_value;
#define DEMO_FIRST_CONSTANT DEMO_MAX_INPUTS
#define DEMO_FIRST_RESULT (DEMO_FIRST_CONSTANT + DEMO_MAX_CONSTANTS)

/* Sizes of a constant. Its elements follow the text: float32, little-endian, not
 * aligned. */
typedef struct demo_constant_text {
  int32_t sizes[DEMO_MAX_CONSTANT_RANK];
  uint32_t rank;
  uint32_t numel;
} demo_constant_text;

/* One op in the text. */
typedef struct demo_op_text {
  demo_kind kind;
  uint32_t operand_count;
  demo_value operands[DEMO_MAX_OPERANDS];
  uint32_t numel;   /* upper bound */
  uint32_t stride;  /* of DEMO_CONV_RELU, in both directions */
  uint32_t padding; /* likewise */
} demo_op_text;

/* A reader at a position in the text. */
typedef struct demo_reader {
  et_span text;
  size_t at;
  uint32_t version;
  uint32_t op_count;
  uint32_t ops_read;
  uint32_t input_count; /* in version 0, of the ops read so far */
  uint32_t constant_count;
  demo_constant_text constants[DEMO_MAX_CONSTANTS];
  et_error *error;
} demo_reader;

/* If the payload is invalid, these functions return DELEGATE_INCOMPATIBLE and
 * report the position of the error. */

/* Reads the text up to the first op. */
et_status demo_reader_open(et_span text, et_error *error,
                           demo_reader *out_reader);

/* Reads the next op. Call it op_count times. */
et_status demo_reader_op(demo_reader *reader, demo_op_text *out_op);

/* Reads the numbers of the output values, to the end of the text. Sets
 * *out_data to the elements of the constants, in order. */
et_status demo_reader_outputs(demo_reader *reader,
                              demo_value out_values[DEMO_MAX_OUTPUTS],
                              uint32_t *out_count, const uint8_t **out_data);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_DEMO_PAYLOAD_H_ */
