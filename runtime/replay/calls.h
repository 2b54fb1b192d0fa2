/* Reads recorded calls (ETCL): inputs of a program, and its expected outputs.
 *
 * exir/cli/reporting/calls.py writes the format and describes it. */
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

/* Prefix of messages about a damaged file of calls. */
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

/* The quantization of an output of a quantized model. */
typedef struct et_record_steps {
  double step;  /* distance between adjacent values; 0: any value */
  double scale; /* a value represents (value - zero_point) * scale */
  double zero_point;
  /* Largest error caused by internal values that are off by one step. */
  double rounding;
} et_record_steps;

/* A recorded input or output. Bytes are borrowed from the file and may be
 * unaligned. Two records follow one of kind QUANTIZED: the output, and the
 * float model's output or NONE. */
typedef struct et_record {
  et_record_kind kind;
  union {
    int64_t as_int;
    bool as_bool;
    double as_double;
    et_string as_string;
    et_record_steps as_steps;
  } u;
  /* Only for tensors: */
  et_scalar_type dtype;
  uint8_t rank;
  int32_t sizes[ET_MAX_RANK];
  uint8_t dim_order[ET_MAX_RANK];
  int32_t strides[ET_MAX_RANK]; /* strides of the recorded bytes, in elements */
  size_t numel;
  et_span bytes; /* numel elements */
} et_record;

/* A reader at a position in the file. */
typedef struct et_calls {
  et_span rest;
  uint32_t calls_left;
} et_calls;

/* A call. Read its inputs first, then its outputs. */
typedef struct et_call {
  char method[256];
  uint32_t expected_status;
  uint32_t input_count;
} et_call;

/* All functions return INVALID_EXTERNAL_DATA if the file is damaged or
 * truncated. */

/* Opens a file of recorded calls. */
et_status et_calls_open(et_span file, et_calls *out_calls, et_error *error);

/* Reads the next call; calls_left must not be 0. It is followed by
 * `input_count` records, and then by the number of output records that
 * et_calls_output_count returns. */
et_status et_calls_next(et_calls *calls, et_call *out_call, et_error *error);
et_status et_calls_record(et_calls *calls, et_record *out_record,
                          et_error *error);
et_status et_calls_output_count(et_calls *calls, uint32_t *out_count,
                                et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_REPLAY_CALLS_H_ */
