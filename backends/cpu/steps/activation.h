/* The activation that a step's attributes name. */
#ifndef BACKENDS_CPU_STEPS_ACTIVATION_H_
#define BACKENDS_CPU_STEPS_ACTIVATION_H_

#include "backends/cpu/simd/activation.h"
#include "backends/cpu/steps/step.h"

/* Words: kind, low, high. */
#define ET_CPU_ACTIVATION_WORDS 3

/* That the words from attribute `index` on are an activation. */
et_status et_cpu_check_activation(const et_cpu_step *step, size_t index,
                                  et_error *error);

/* The float whose bits are attribute `index`. */
float et_cpu_read_float(const et_cpu_step *step, size_t index);

et_cpu_activation et_cpu_read_activation(const et_cpu_step *step, size_t index);

#endif /* BACKENDS_CPU_STEPS_ACTIVATION_H_ */
