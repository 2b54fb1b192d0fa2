/* Calls are (x, sum, out); the sum is a mutable buffer of the program. */
#include "executorch/backend.h"

extern const et_backend sum_backend;

static et_status sum_measure(const et_backend_context *context,
                             et_backend_requirements *out) {
  (void)context;
  out->output_count = 1;
  out->updated_count = 1;
  return ET_STATUS_OK;
}

static et_status sum_init(const et_backend_context *context,
                          void **out_handle) {
  *out_handle = (void *)(uintptr_t)context->payload.data;
  return ET_STATUS_OK;
}

static et_status sum_execute(void *handle, const et_execute_context *context,
                             et_value **args, size_t count) {
  const float sign = *(const char *)handle == '+' ? 1.0f : -1.0f;
  const float *x = args[0]->u.as_tensor->data;
  float *sum = args[1]->u.as_tensor->data;
  float *out = args[2]->u.as_tensor->data;
  (void)context;
  (void)count;
  for (size_t i = 0; i < args[1]->u.as_tensor->numel; i++) {
    sum[i] += sign * x[i];
    out[i] = sum[i];
  }
  return ET_STATUS_OK;
}

const et_backend sum_backend = {"SumBackend", sum_measure, sum_init,
                                sum_execute, NULL};
