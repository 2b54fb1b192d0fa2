/* Products with weights of few bits: what steps of them have in common. */
#ifndef BACKENDS_CPU_STEPS_FEW_BITS_H_
#define BACKENDS_CPU_STEPS_FEW_BITS_H_

#include "backends/cpu/steps/parameters.h"

/* Most products of one row that a step has, an output each. */
#define ET_CPU_FEW_BITS_PARTS 4

/* Inputs; zero points or minima follow, if the attribute says so. As many behind x again for
 * each further product, then one of the kind's own. */
enum {
  ET_CPU_FEW_BITS_X,
  ET_CPU_FEW_BITS_WORDS,
  ET_CPU_FEW_BITS_SCALES,
  ET_CPU_FEW_BITS_BIAS,
  ET_CPU_FEW_BITS_INPUTS
};

/* Where the kind's own input is. */
size_t et_cpu_few_bits_own(const et_cpu_step *step);

/* Checks all but the kind's own input, which is there at most once, and not beside several
 * products. */
et_status et_cpu_few_bits_check(const et_cpu_step *step, uint16_t most_parts,
                                int32_t most_shift, et_error *error);

/* One product of a step that passed; no residual. */
et_cpu_product_q et_cpu_few_bits_read(const et_cpu_step *step, size_t part);

/* Rows of the output. */
size_t et_cpu_few_bits_rows(const et_cpu_step *step);

#endif /* BACKENDS_CPU_STEPS_FEW_BITS_H_ */
