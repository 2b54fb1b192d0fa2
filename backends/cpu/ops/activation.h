/* The activation that an op's attributes name. */
#ifndef BACKENDS_CPU_OPS_ACTIVATION_H_
#define BACKENDS_CPU_OPS_ACTIVATION_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/ops/op.h"

/* That the words from attribute `index` on are an activation. */
et_status et_cpu_check_activation(const et_cpu_op *op, size_t index,
                                  et_error *error);

et_cpu_activation et_cpu_read_activation(const et_cpu_op *op, size_t index);

#endif /* BACKENDS_CPU_OPS_ACTIVATION_H_ */
