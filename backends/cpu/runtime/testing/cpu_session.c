/* posix_memalign */
#define _POSIX_C_SOURCE 200112L

#include "backends/cpu/runtime/testing/cpu_session.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cpu/runtime/cpu_backend.h"

/* Maximum size of scratch. A damaged payload may request 4 GB. */
#define MAX_SCRATCH 4096

_Alignas(64) const float cpu_session_weights[CPU_SESSION_NUMEL] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

void cpu_sample_make(cpu_sample *sample, int32_t rows, int32_t columns) {
  memset(sample, 0, sizeof *sample);
  sample->sizes[0] = rows;
  sample->sizes[1] = columns;
  sample->order[1] = 1;
  sample->tensor.data = sample->data;
  sample->tensor.capacity = sizeof sample->data;
  sample->tensor.sizes = sample->sizes;
  sample->tensor.strides = sample->strides;
  sample->tensor.dim_order = sample->order;
  sample->tensor.dtype = ET_SCALAR_TYPE_FLOAT32;
  sample->tensor.rank = CPU_SESSION_RANK;
  sample->tensor.dynamism = ET_SHAPE_DYNAMIC_BOUND;
  et_tensor_layout(sample->sizes, sample->order, CPU_SESSION_RANK,
                   sample->strides, &sample->tensor.numel, NULL);
  sample->value.tag = ET_VALUE_TENSOR;
  sample->value.u.as_tensor = &sample->tensor;
  for (size_t i = 0; i < CPU_SESSION_NUMEL; i++) {
    sample->data[i] = (float)(i + 1);
  }
}

static et_status find_data(const et_backend_context *context, et_string key,
                           et_span *out_bytes, et_error *error) {
  const et_span weights = {(const uint8_t *)cpu_session_weights,
                           sizeof cpu_session_weights};
  (void)context;
  if (key.size != 7 || memcmp(key.data, "weights", 7) != 0) {
    return et_fail(error, ET_STATUS_NOT_FOUND, "no such data");
  }
  *out_bytes = weights;
  return ET_STATUS_OK;
}

/* Allocates exactly `bytes`, so that sanitizers detect accesses beyond it. */
static void *take(size_t bytes) {
  void *memory = NULL;
  return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;
}

et_status cpu_session_load(cpu_session *session, et_span payload) {
  et_backend_context context = {
      .size = sizeof context,
      .payload = payload,
      .find_data = find_data,
      .options = session->options,
      .option_count = session->option_count,
      .error = &session->error,
      .parts = cpu_test_parts,
      .part_count = CPU_TEST_PARTS,
  };
  memset(&session->needed, 0, sizeof session->needed);
  ET_RETURN_IF_ERROR(et_cpu_backend.measure(&context, &session->needed));
  session->memory = take(session->needed.handle_bytes);
  const et_mutable_span span = {session->memory, session->needed.handle_bytes};
  et_arena arena = et_arena_over(span);
  context.arena = &arena;
  return et_cpu_backend.init(&context, &session->handle);
}

et_status cpu_session_call(cpu_session *session, et_value **args,
                           size_t count) {
  const size_t bytes = session->needed.scratch_bytes;
  if (session->scratch == NULL && bytes != 0 && bytes <= MAX_SCRATCH) {
    session->scratch = take(bytes);
  }
  const et_execute_context context = {
      .scratch = {session->scratch, session->scratch != NULL ? bytes : 0},
      .observer = session->observer,
      .error = &session->error,
  };
  return et_cpu_backend.execute(session->handle, &context, args, count);
}

void cpu_session_end(cpu_session *session) {
  free(session->memory);
  free(session->scratch);
  session->memory = NULL;
  session->scratch = NULL;
}
