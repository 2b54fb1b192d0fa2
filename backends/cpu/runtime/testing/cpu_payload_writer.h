/* Writes payloads of CpuBackend for tests, word by word. */
#ifndef BACKENDS_CPU_RUNTIME_TESTING_CPU_PAYLOAD_WRITER_H_
#define BACKENDS_CPU_RUNTIME_TESTING_CPU_PAYLOAD_WRITER_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/runtime/payload.h"
#include "executorch/span.h"

/* Large enough for payloads that exceed the verifier's limits. */
#define CPU_WRITER_WORDS 65536

/* A section of the payload. */
typedef struct cpu_section {
  uint32_t words[CPU_WRITER_WORDS];
  size_t count; /* words */
} cpu_section;

/* Must be zero-initialized. */
typedef struct cpu_writer {
  uint32_t inputs;
  uint32_t outputs;
  uint32_t scratch_bytes;
  uint32_t dim_count;
  uint32_t value_count;
  uint32_t data_count;
  uint32_t op_count;
  cpu_section dims;
  cpu_section values;
  cpu_section data;
  cpu_section ops;
  char keys[64];
  uint32_t key_bytes;
  uint8_t bytes[4 * 5 * CPU_WRITER_WORDS];
} cpu_writer;

/* Each function adds an element and returns its index. */
uint32_t cpu_write_dim(cpu_writer *writer, et_cpu_dim dim);
uint32_t cpu_write_const(cpu_writer *writer, uint32_t value);
/* Adds a float32 value with these dims in default order. */
uint32_t cpu_write_floats(cpu_writer *writer, et_cpu_place place,
                          uint32_t index, uint32_t offset, const uint32_t *dims,
                          uint32_t rank);
uint32_t cpu_write_data(cpu_writer *writer, const char *key, uint32_t bytes);
/* Adds an op with one input, one output and one attribute. */
uint32_t cpu_write_unary(cpu_writer *writer, uint32_t kind, uint32_t in,
                         uint32_t out, uint32_t attribute);
/* Adds an op. counts: inputs, outputs, workspaces, dims, attributes. `values` has inputs,
 * outputs and workspaces. */
uint32_t cpu_write_op(cpu_writer *writer, uint32_t kind,
                      const uint32_t counts[5], const uint32_t *values,
                      const uint32_t *dims, const uint32_t *attributes);

/* Returns the payload, which is in the writer's memory. */
et_span cpu_write_finish(cpu_writer *writer);

#endif /* BACKENDS_CPU_RUNTIME_TESTING_CPU_PAYLOAD_WRITER_H_ */
