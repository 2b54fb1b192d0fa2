/* Reads payloads of CpuBackend. PAYLOAD.md describes the format. */
#ifndef BACKENDS_CPU_RUNTIME_PAYLOAD_H_
#define BACKENDS_CPU_RUNTIME_PAYLOAD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu/ops/op.h"
#include "backends/cpu/schema/payload_tables.h"
#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_CPU_MAX_ARGUMENTS 1024u /* inputs or outputs; limit of the runtime */

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

/* Returns the bytes of word `at`. They can be unaligned. They are little-endian, like the host:
 * runtime/program/flatbuffer.c does not compile for big-endian hosts. */
static inline const uint8_t *et_cpu_bytes_at(const et_cpu_payload *payload,
                                             size_t at) {
  return payload->bytes + 4 * at;
}

/* Returns word `at`, which must be less than `words`. */
static inline uint32_t et_cpu_word(const et_cpu_payload *payload, size_t at) {
  uint32_t word;
  memcpy(&word, et_cpu_bytes_at(payload, at), sizeof word);
  return word;
}

et_cpu_dim et_cpu_dim_at(const et_cpu_payload *payload, uint32_t index);
et_cpu_data et_cpu_data_at(const et_cpu_payload *payload, uint32_t index);

/* Read the value or op at word *at, and advance *at. Return false if it extends beyond the
 * payload. */
bool et_cpu_read_value(const et_cpu_payload *payload, size_t *at,
                       et_cpu_value *out);
bool et_cpu_read_op(const et_cpu_payload *payload, size_t *at,
                    et_cpu_op_record *out);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_RUNTIME_PAYLOAD_H_ */
