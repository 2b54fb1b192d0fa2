/* The runtime side. A call has the arguments (x, out); the payload is a digit and a letter. */
#include "executorch/backend.h"

extern const et_backend npu_backend;

static const char revision = '2';

/* Verifies the payload, which comes from a file and may be malformed. */
static et_status npu_measure(const et_backend_context *context,
                             et_backend_requirements *out) {
  const uint8_t *payload = context->payload.data;
  if (context->payload.size != 2 || payload[0] != revision ||
      (payload[1] != 'r' && payload[1] != 'n')) {
    return et_fail(context->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "the payload is not for revision %c", revision);
  }
  out->output_count = 1;
  return ET_STATUS_OK;
}

/* The handle is the address of the operator's letter in the program. */
static et_status npu_init(const et_backend_context *context,
                          void **out_handle) {
  const uint8_t *payload = context->payload.data;
  *out_handle = (void *)(uintptr_t)&payload[1];
  return ET_STATUS_OK;
}

static int is_float_tensor(const et_value *value) {
  return value->tag == ET_VALUE_TENSOR &&
         value->u.as_tensor->dtype == ET_SCALAR_TYPE_FLOAT32;
}

static et_status npu_execute(void *handle, const et_execute_context *context,
                             et_value **args, size_t count) {
  const char step = *(const char *)handle;
  if (count != 2 || !is_float_tensor(args[0]) || !is_float_tensor(args[1]) ||
      args[0]->u.as_tensor->numel != args[1]->u.as_tensor->numel) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "expected two float32 tensors of one size");
  }
  const float *x = (const float *)args[0]->u.as_tensor->data;
  float *out = (float *)args[1]->u.as_tensor->data;
  for (size_t i = 0; i < args[1]->u.as_tensor->numel; i++) {
    out[i] = step == 'n' ? -x[i] : x[i] < 0 ? 0 : x[i];
  }
  return ET_STATUS_OK;
}

const et_backend npu_backend = {"NpuBackend", npu_measure, npu_init,
                                npu_execute, NULL};
