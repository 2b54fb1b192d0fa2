/* Activations, applied in place. Clamping is done where results are computed. */
#ifndef BACKENDS_CPU_MICROKERNELS_ACTIVATE_H_
#define BACKENDS_CPU_MICROKERNELS_ACTIVATE_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"

/* Columns `columns` of `rows` rows that lie `stride` apart. */
typedef void et_cpu_activate_f32_function(const et_cpu_activation *activation,
                                          float *values, size_t stride,
                                          size_t rows, size_t columns);

ET_CPU_DECLARE(et_cpu_activate_f32_function, et_cpu_activate_f32);

/* Whether there is something left to do after clamping. */
static inline int et_cpu_is_curve(const et_cpu_activation *activation) {
  return activation->function > ET_CPU_ACTIVATION_FUNCTION_CLAMP;
}

#endif /* BACKENDS_CPU_MICROKERNELS_ACTIVATE_H_ */
