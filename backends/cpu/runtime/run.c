#include "backends/cpu/runtime/run.h"

#include "backends/cpu/ops/op_schema.h"

static void run_observed(const et_cpu_op *op, uint32_t index,
                         const et_cpu_run *run, const et_observer *observer) {
  const et_event event = {ET_EVENT_STEP, index, op->type->schema->name, NULL,
                          0};
  observer->begin(observer->context, &event);
  op->type->run(op, run);
  observer->end(observer->context, &event, run->fault->status);
}

et_status et_cpu_run_ops(const et_cpu_op *ops, uint32_t count, uint8_t isa,
                         const et_execute_context *context) {
  et_cpu_fault fault = {ET_STATUS_OK, context->error};
  const et_cpu_run run = {isa, context->parallel, &fault};
  for (uint32_t i = 0; i < count && fault.status == ET_STATUS_OK; i++) {
    if (context->observer != NULL) {
      run_observed(&ops[i], i, &run, context->observer);
    } else {
      ops[i].type->run(&ops[i], &run);
    }
  }
  return fault.status;
}
