#include "backends/xnnpack/runtime/xnnpack_backend.h"

#include "backends/cpu/runtime/isa.h"
#include "backends/xnnpack/runtime/handle.h"

/* Returns the instruction set from option "isa", or the best available one. */
static et_status choose_isa(const et_backend_context *context,
                            et_cpu_isa *out_isa) {
  et_backend_context own = *context;
  const et_backend_option *isa = et_xnn_find_option(context, "isa");
  own.options = isa;
  own.option_count = isa != NULL;
  return et_cpu_isa_choose(&own, out_isa);
}

static et_status xnn_init(const et_backend_context *context,
                          void **out_handle) {
  et_xnn_handle *handle = NULL;
  et_cpu_isa isa = ET_CPU_PLAIN;
  ET_RETURN_IF_ERROR(choose_isa(context, &isa));
  ET_RETURN_IF_ERROR(et_xnn_build(context, (uint8_t)isa, &handle));
  *out_handle = handle;
  return ET_STATUS_OK;
}

static et_status xnn_execute(void *memory, const et_execute_context *context,
                             et_value **args, size_t count) {
  et_xnn_handle *handle = memory;
  ET_RETURN_IF_ERROR(
      et_xnn_bind(handle, context->scratch, args, count, context->error));
  ET_RETURN_IF_ERROR(
      et_cpu_run_ops(handle->ops, handle->counts.ops, handle->isa, context));
  et_xnn_finish(handle, args);
  return ET_STATUS_OK;
}

const et_backend et_xnnpack_backend = {
    .id = "XnnpackBackend",
    .measure = et_xnn_measure,
    .init = xnn_init,
    .execute = xnn_execute,
};
