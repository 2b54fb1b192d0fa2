/* Reads payloads of CpuBackend. PAYLOAD.md describes the format. */
#ifndef BACKENDS_CPU_RUNTIME_PAYLOAD_H_
#define BACKENDS_CPU_RUNTIME_PAYLOAD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/ops/op.h"
#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_CPU_MAGIC 0x43504531u
#define ET_CPU_VERSION 1u
#define ET_CPU_DATA_ALIGNMENT 64u
#define ET_CPU_MAX_ARGUMENTS 1024u /* inputs or outputs; limit of the runtime */

/* Operation that computes a dim from constants, arguments and earlier dims. */
typedef enum et_cpu_dim_op {
  ET_CPU_DIM_CONST = 0, /* a */
  ET_CPU_DIM_SIZE = 1,  /* dimension b of argument a */
  ET_CPU_DIM_INT = 2,   /* int argument a */
  ET_CPU_DIM_ADD = 3,
  ET_CPU_DIM_SUB = 4,
  ET_CPU_DIM_MUL = 5,
  ET_CPU_DIM_FLOORDIV = 6,
  ET_CPU_DIM_MOD = 7,
  ET_CPU_DIM_MIN = 8,
  ET_CPU_DIM_MAX = 9,
} et_cpu_dim_op;

typedef struct et_cpu_dim {
  uint32_t op; /* et_cpu_dim_op */
  uint32_t a;
  uint32_t b;
  uint32_t maximum;
} et_cpu_dim;

/* A value in the payload. */
typedef struct et_cpu_value {
  uint32_t dtype;
  uint32_t rank;
  uint32_t place; /* et_cpu_place */
  uint32_t index;
  uint32_t offset;
  uint32_t order;
  size_t dims_at; /* word index of its dims */
} et_cpu_value;

/* A piece of named data. */
typedef struct et_cpu_data {
  et_string key;
  uint32_t bytes;
} et_cpu_data;

/* An op in the payload. */
typedef struct et_cpu_op_record {
  uint32_t kind;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t workspace_count;
  uint32_t dim_count;
  uint32_t attribute_count;
  uint32_t tensor_count; /* inputs, outputs and workspaces */
  size_t tensors_at;     /* word index of its values */
  size_t dims_at;
  size_t attributes_at;
} et_cpu_op_record;

/* A payload in which all numbers are in range. et_cpu_verify() checks for overlapping values and
 * for reads before writes. */
typedef struct et_cpu_payload {
  const uint8_t *bytes;
  size_t words;
  uint32_t input_count; /* including states */
  uint32_t output_count;
  uint32_t first_state; /* index of the first state */
  uint32_t dim_count;
  uint32_t value_count;
  uint32_t data_count;
  uint32_t op_count;
  uint32_t scratch_bytes;
  uint32_t key_bytes;
  size_t values_at; /* word indices of the sections; dims follow the header */
  size_t data_at;
  size_t ops_at;
  size_t keys_at;
  size_t tensor_refs; /* totals over all ops */
  size_t dim_refs;
  size_t attribute_words;
} et_cpu_payload;

/* Reads the header and checks all records. Fails with DELEGATE_INCOMPATIBLE and the name of the
 * invalid element. */
et_status et_cpu_payload_open(et_span bytes, et_error *error,
                              et_cpu_payload *out);

/* Returns word `at`, which must be less than `words`. Payloads need no alignment. */
static inline uint32_t et_cpu_word(const et_cpu_payload *payload, size_t at) {
  const uint8_t *bytes = payload->bytes + 4 * at;
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
         (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

et_cpu_dim et_cpu_dim_at(const et_cpu_payload *payload, uint32_t index);
et_cpu_data et_cpu_data_at(const et_cpu_payload *payload, uint32_t index);

/* Reads the value or op at word *at and advances *at. Returns false if it exceeds the payload. */
bool et_cpu_read_value(const et_cpu_payload *payload, size_t *at,
                       et_cpu_value *out);
bool et_cpu_read_op(const et_cpu_payload *payload, size_t *at,
                    et_cpu_op_record *out);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_RUNTIME_PAYLOAD_H_ */
