/* Scales, zero points and minima of weights of few bits: float32, float16 or
 * bfloat16. */
#ifndef BACKENDS_CPU_OPS_PARAMETERS_H_
#define BACKENDS_CPU_OPS_PARAMETERS_H_

#include "backends/cpu/microkernels/gemm_qbw.h"
#include "backends/cpu/ops/op.h"

/* What there is beside scales, an attribute. */
enum { ET_CPU_UNSHIFTED, ET_CPU_ZERO_POINTS, ET_CPU_MINIMA };

/* What tensor `index` may be of: its dtype if that is one of theirs, else
 * float32. */
et_scalar_type et_cpu_parameters_dtype(const et_cpu_op *op, size_t index);

/* That tensor `index` is of such a dtype and has these three sizes. */
et_status et_cpu_check_parameters(const et_cpu_op *op, size_t index,
                                  const int64_t *sizes, et_error *error);

et_cpu_parameters et_cpu_parameters_of(const et_cpu_op *op, size_t index);

#endif /* BACKENDS_CPU_OPS_PARAMETERS_H_ */
