#include "tests/feature_models/bias_backend/bias_backend.h"

static et_status bias_measure(const et_backend_context *context,
                              et_backend_requirements *out) {
  if (context->payload.size < 2) {
    return et_fail(context->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "the payload must be a letter and a key");
  }
  out->handle_bytes = sizeof(bias_handle);
  out->output_count = 1;
  return ET_STATUS_OK;
}

static const bias_operation *find_operation(const et_backend_context *context) {
  for (size_t i = 0; i < context->part_count; i++) {
    if (context->parts[i]->id == context->payload.data[0]) {
      return context->parts[i]->content;
    }
  }
  return NULL;
}

static et_status bias_init(const et_backend_context *context,
                           void **out_handle) {
  const et_string key = {(const char *)context->payload.data + 1,
                         context->payload.size - 1};
  et_span data = {NULL, 0};
  void *memory = NULL;
  ET_RETURN_IF_ERROR(context->find_data(context, key, &data, context->error));
  if (!et_arena_take(context->arena, 1, sizeof(bias_handle), 64, &memory)) {
    return ET_STATUS_DELEGATE_MEMORY;
  }
  const bias_handle handle = {
      .operation = find_operation(context),
      .constants = (const float *)(const void *)data.data,
      .count = data.size / sizeof(float),
  };
  if (handle.operation == NULL) {
    return et_fail(context->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "part '%c' is not linked", context->payload.data[0]);
  }
  *(bias_handle *)memory = handle;
  *out_handle = memory;
  return ET_STATUS_OK;
}

static et_status bias_execute(void *memory, const et_execute_context *context,
                              et_value **args, size_t count) {
  const bias_handle *handle = memory;
  const et_tensor *in = args[0]->u.as_tensor;
  const et_tensor *out = args[count - 1]->u.as_tensor;
  if (in->numel != handle->count || out->numel != handle->count) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "the number of elements does not match the constants");
  }
  for (size_t i = 0; i < handle->count; i++) {
    ((float *)out->data)[i] = handle->operation->function(
        ((const float *)in->data)[i], handle->constants[i]);
  }
  return ET_STATUS_OK;
}

const et_backend bias_backend = {
    .id = "BiasBackend",
    .measure = bias_measure,
    .init = bias_init,
    .execute = bias_execute,
};
