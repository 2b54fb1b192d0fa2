/* Runs a list of ops. */
#ifndef BACKENDS_CPU_RUNTIME_RUN_H_
#define BACKENDS_CPU_RUNTIME_RUN_H_

#include "backends/cpu/ops/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `count` ops whose tensors are bound. Stops at the first failure. Reports each op to the
 * context's observer by its index. */
et_status et_cpu_run_ops(const et_cpu_op *ops, uint32_t count, uint8_t isa,
                         const et_execute_context *context);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_RUNTIME_RUN_H_ */
