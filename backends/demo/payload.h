/* Reading the payload of BackendWithCompilerDemo: see PAYLOAD.md. */
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
#define DEMO_MAX_OPERANDS 2

typedef enum demo_kind { DEMO_SIN, DEMO_MM, DEMO_ADD, DEMO_MUL } demo_kind;

/* Number of a value in both versions: an input's is its index, that of the
 * result of op k is DEMO_MAX_INPUTS + k. */
typedef uint16_t demo_value;

/* One op as the text says it. */
typedef struct demo_op_text {
  demo_kind kind;
  uint32_t operand_count;
  demo_value operands[DEMO_MAX_OPERANDS];
  uint32_t numel; /* upper bound */
} demo_op_text;

/* Stands somewhere in the text. */
typedef struct demo_reader {
  et_span text;
  size_t at;
  uint32_t version;
  uint32_t op_count;
  uint32_t ops_read;
  uint32_t input_count; /* in version 0 as many as the ops so far have taken */
  et_error *error;
} demo_reader;

/* Each returns DELEGATE_INCOMPATIBLE with the byte at fault. */

/* Reads up to the first op. */
et_status demo_reader_open(et_span text, et_error *error,
                           demo_reader *out_reader);

/* The next op; to be called op_count times. */
et_status demo_reader_op(demo_reader *reader, demo_op_text *out_op);

/* The values that the outputs receive, to the end of the text. */
et_status demo_reader_outputs(demo_reader *reader,
                              demo_value out_values[DEMO_MAX_OUTPUTS],
                              uint32_t *out_count);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_DEMO_PAYLOAD_H_ */
