/* Products with weights of few bits: what ops of them have in common. */
#ifndef BACKENDS_CPU_OPS_LOW_BIT_H_
#define BACKENDS_CPU_OPS_LOW_BIT_H_

#include "backends/cpu/ops/parameters.h"

/* Most products of one row that an op has, an output each. */
#define ET_CPU_LOW_BIT_PARTS 4

/* Inputs; zero points or minima follow, if the attribute says so. As many behind x again for
 * each further product, then one of the kind's own. */
enum {
  ET_CPU_LOW_BIT_X,
  ET_CPU_LOW_BIT_WORDS,
  ET_CPU_LOW_BIT_SCALES,
  ET_CPU_LOW_BIT_BIAS,
  ET_CPU_LOW_BIT_INPUTS
};

/* Where the kind's own input is. */
size_t et_cpu_low_bit_own(const et_cpu_op *op);

/* Checks all but the kind's own input, which is there at most once, and not beside several
 * products. */
et_status et_cpu_low_bit_check(const et_cpu_op *op, uint16_t most_parts,
                               int32_t most_shift, et_error *error);

/* One product of an op that passed; no residual. */
et_cpu_gemm_qbw et_cpu_low_bit_read(const et_cpu_op *op, size_t part);

/* Rows of the output. */
size_t et_cpu_low_bit_rows(const et_cpu_op *op);

#endif /* BACKENDS_CPU_OPS_LOW_BIT_H_ */
