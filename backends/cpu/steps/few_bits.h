/* Products with weights of few bits: what steps of them have in common. */
#ifndef BACKENDS_CPU_STEPS_FEW_BITS_H_
#define BACKENDS_CPU_STEPS_FEW_BITS_H_

#include "backends/cpu/steps/parameters.h"

/* Inputs; zero points or minima, if the attribute says so, and one of the kind's
 * own follow. */
enum {
  ET_CPU_FEW_BITS_X,
  ET_CPU_FEW_BITS_WORDS,
  ET_CPU_FEW_BITS_SCALES,
  ET_CPU_FEW_BITS_BIAS,
  ET_CPU_FEW_BITS_INPUTS
};

/* Where the kind's own input is. */
size_t et_cpu_few_bits_own(const et_cpu_step *step);

/* Checks all but the kind's own input, which is there at least `least` times;
 * `most_shift` is the last of what may follow the scales. */
et_status et_cpu_few_bits_check(const et_cpu_step *step, uint16_t least,
                                int32_t most_shift, et_error *error);

/* What a step that passed has; no residual. */
et_cpu_product_q et_cpu_few_bits_read(const et_cpu_step *step);

/* Rows of the output. */
size_t et_cpu_few_bits_rows(const et_cpu_step *step);

#endif /* BACKENDS_CPU_STEPS_FEW_BITS_H_ */
