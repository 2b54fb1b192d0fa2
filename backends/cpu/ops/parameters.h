/* Scales, zero points and minima of groups of 4-bit and 8-bit weights. They are float32, float16 or
 * bfloat16, [ceil(N / 16), groups, 16]. */
#ifndef BACKENDS_CPU_OPS_PARAMETERS_H_
#define BACKENDS_CPU_OPS_PARAMETERS_H_

#include "backends/cpu/microkernels/gemm_qbw.h"
#include "backends/cpu/ops/op.h"
#include "backends/cpu/schema/records.h"

/* Checks that weights of `op` have 4 or 8 bits. */
et_status et_cpu_check_format(const et_cpu_op *op,
                              const et_cpu_low_bit_format *format,
                              et_error *error);

/* Checks the sizes and the dtype of parameters. */
et_status et_cpu_check_parameters(const et_cpu_op *op,
                                  const et_cpu_tensor *tensor,
                                  const int64_t sizes[3], et_error *error);

/* Returns the parameters in `tensor`. They are absent if it is NULL. */
et_cpu_parameters et_cpu_parameters_of(const et_cpu_tensor *tensor);

#endif /* BACKENDS_CPU_OPS_PARAMETERS_H_ */
