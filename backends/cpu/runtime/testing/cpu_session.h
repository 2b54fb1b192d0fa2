/* Loads and calls a payload in buffers that have exactly the measured sizes. */
#ifndef BACKENDS_CPU_RUNTIME_TESTING_CPU_SESSION_H_
#define BACKENDS_CPU_RUNTIME_TESTING_CPU_SESSION_H_

#include "backends/cpu/ops/op.h"
#include "backends/cpu/runtime/testing/cpu_payload_writer.h"
#include "executorch/backend.h"

#define CPU_SESSION_RANK 2
#define CPU_SESSION_NUMEL 16

/* A float32 tensor of up to CPU_SESSION_NUMEL elements. */
typedef struct cpu_sample {
  float data[CPU_SESSION_NUMEL];
  int32_t sizes[CPU_SESSION_RANK];
  int32_t strides[CPU_SESSION_RANK];
  uint8_t order[CPU_SESSION_RANK];
  et_tensor tensor;
  et_value value;
} cpu_sample;

/* The runtime's side of a delegate. Must be zero-initialized. */
typedef struct cpu_session {
  et_backend_requirements needed;
  const et_backend_option *options;
  size_t option_count;
  const et_observer *observer;
  void *memory; /* memory of the handle */
  void *scratch;
  void *handle;
  et_error error;
} cpu_session;

/* The only piece of named data, "weights": 1, 2, 3, ... as float32. */
extern const float cpu_session_weights[CPU_SESSION_NUMEL];

/* Sets the elements to 1, 2, 3, ... in memory order. */
void cpu_sample_make(cpu_sample *sample, int32_t rows, int32_t columns);

/* Loads the payload. Call cpu_session_end() to release its memory, even if loading fails. */
et_status cpu_session_load(cpu_session *session, et_span payload);
et_status cpu_session_call(cpu_session *session, et_value **args, size_t count);
void cpu_session_end(cpu_session *session);

/* Op types for tests of the runtime. */

enum {
  CPU_TEST_SHIFT = 1001,   /* y = x + attribute 0; in-place */
  CPU_TEST_SUM = 1002,     /* y = sum of x and dim 0 */
  CPU_TEST_FIRST = 1003,   /* y = x[0] in all elements; in-place */
  CPU_TEST_BOUNDED = 1004, /* y = x[0]; all dims must be below the bound */
};

#define CPU_TEST_BOUND 5

/* Number of runs of CPU_TEST_SHIFT since the start of the program. */
extern size_t cpu_test_runs;

#define CPU_TEST_PARTS 4
extern const et_backend_part *const cpu_test_parts[CPU_TEST_PARTS];

#endif /* BACKENDS_CPU_RUNTIME_TESTING_CPU_SESSION_H_ */
