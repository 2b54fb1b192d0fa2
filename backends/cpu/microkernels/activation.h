/* Activation of an op, applied to results before they are stored. */
#ifndef BACKENDS_CPU_MICROKERNELS_ACTIVATION_H_
#define BACKENDS_CPU_MICROKERNELS_ACTIVATION_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/schema/records.h"

/* Bounds of the results; infinite unless the function is CLAMP. */
static inline float et_cpu_clamp_low(const et_cpu_activation *activation) {
  return activation->function == ET_CPU_ACTIVATION_FUNCTION_CLAMP
             ? activation->low
             : -INFINITY;
}

static inline float et_cpu_clamp_high(const et_cpu_activation *activation) {
  return activation->function == ET_CPU_ACTIVATION_FUNCTION_CLAMP
             ? activation->high
             : INFINITY;
}

#endif /* BACKENDS_CPU_MICROKERNELS_ACTIVATION_H_ */
