/* Reading recorded calls of a program (ETCL): what it is given, and what it
 * must answer. The format is described in exir/cli/reporting/calls.py, which writes
 * it. */
#ifndef ET_RUNTIME_REPLAY_CALLS_H_
#define ET_RUNTIME_REPLAY_CALLS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What messages on a file of calls that is damaged begin with. */
#define ET_CALLS_FAULT "recorded calls: "

typedef enum et_record_kind {
  ET_RECORD_NONE,
  ET_RECORD_TENSOR,
  ET_RECORD_INT,
  ET_RECORD_BOOL,
  ET_RECORD_DOUBLE,
  ET_RECORD_STRING,
  ET_RECORD_QUANTIZED,
} et_record_kind;

/* What the elements of a quantized model's output are. */
typedef struct et_record_steps {
  double step;  /* the difference of neighbouring elements; 0: any number */
  double scale; /* an element means (element - zero_point) * scale */
  double zero_point;
  double rounding; /* largest difference made by values one step off inside */
} et_record_steps;

/* A recorded input or output. Bytes are borrowed from the file and lie
 * anywhere. After one of kind QUANTIZED two more follow: the output, and what
 * the float model gives, or NONE. */
typedef struct et_record {
  et_record_kind kind;
  union {
    int64_t as_int;
    bool as_bool;
    double as_double;
    et_string as_string;
    et_record_steps as_steps;
  } u;
  /* Of a tensor: */
  et_scalar_type dtype;
  uint8_t rank;
  int32_t sizes[ET_MAX_RANK];
  uint8_t dim_order[ET_MAX_RANK];
  int32_t strides[ET_MAX_RANK]; /* in elements, of the recorded bytes */
  size_t numel;
  et_span bytes; /* numel elements */
} et_record;

/* A reader that stands somewhere in the file. */
typedef struct et_calls {
  et_span rest;
  uint32_t calls_left;
} et_calls;

/* One call. Its inputs are read first, then its outputs. */
typedef struct et_call {
  char method[256];
  uint32_t expected_status;
  uint32_t input_count;
} et_call;

/* Each returns INVALID_EXTERNAL_DATA when the file is damaged or ends too
 * soon. */

/* Opens a file of recorded calls. */
et_status et_calls_open(et_span file, et_calls *out_calls, et_error *error);

/* The next call; calls_left must not be 0. `input_count` records follow, then
 * what et_calls_output_count says. */
et_status et_calls_next(et_calls *calls, et_call *out_call, et_error *error);
et_status et_calls_record(et_calls *calls, et_record *out_record,
                          et_error *error);
et_status et_calls_output_count(et_calls *calls, uint32_t *out_count,
                                et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_REPLAY_CALLS_H_ */
