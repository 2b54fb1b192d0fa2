#include "backends/cpu/runtime/cpu_backend.h"

#include "backends/cpu/runtime/handle.h"
#include "backends/cpu/runtime/isa.h"

static et_status cpu_measure(const et_backend_context *context,
                             et_backend_requirements *out) {
  et_cpu_payload payload;
  et_cpu_handle *none = NULL;
  et_arena arena = et_arena_measuring();
  ET_RETURN_IF_ERROR(
      et_cpu_payload_open(context->payload, context->error, &payload));
  ET_RETURN_IF_ERROR(et_cpu_reserve(&payload, &arena, context->error, &none));
  out->handle_bytes = arena.used;
  out->scratch_bytes = payload.scratch_bytes;
  out->output_count = payload.output_count;
  out->updated_count = payload.input_count - payload.first_state;
  return ET_STATUS_OK;
}

static et_status cpu_init(const et_backend_context *context,
                          void **out_handle) {
  et_cpu_payload payload;
  et_cpu_handle *handle = NULL;
  et_cpu_isa isa = ET_CPU_PLAIN;
  ET_RETURN_IF_ERROR(et_cpu_isa_choose(context, &isa));
  ET_RETURN_IF_ERROR(
      et_cpu_payload_open(context->payload, context->error, &payload));
  ET_RETURN_IF_ERROR(
      et_cpu_reserve(&payload, context->arena, context->error, &handle));
  ET_RETURN_IF_ERROR(et_cpu_build(context, handle));
  ET_RETURN_IF_ERROR(et_cpu_verify(handle, context->error));
  handle->isa = (uint8_t)isa;
  handle->is_current = handle->is_static;
  *out_handle = handle;
  return ET_STATUS_OK;
}

static et_status cpu_execute(void *memory, const et_execute_context *context,
                             et_value **args, size_t count) {
  et_cpu_handle *handle = memory;
  ET_RETURN_IF_ERROR(
      et_cpu_bind(handle, context->scratch, args, count, context->error));
  return et_cpu_run_ops(handle->ops, handle->payload.op_count, handle->isa,
                        context);
}

const et_backend et_cpu_backend = {
    .id = "CpuBackend",
    .measure = cpu_measure,
    .init = cpu_init,
    .execute = cpu_execute,
};
