/* Activation functions that microkernels apply to results before storing them. */
#ifndef BACKENDS_CPU_MICROKERNELS_ACTIVATION_H_
#define BACKENDS_CPU_MICROKERNELS_ACTIVATION_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/records.h"

/* Activation of an op, applied to results before they are stored. */

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

/* Activations of float32 rows, in place: y = f(x).
 *
 * Microkernels apply clamps themselves, before they store results. For other functions, they call
 * this microkernel after every few tiles, while the results are still in the L1 cache. A tile is
 * one vector; the last vector of a row may be partial. Performance is limited by arithmetic. */

/* Applies the activation to `rows` rows of `columns` values. Rows are `stride` floats apart. */
typedef void et_cpu_activate_f32_function(const et_cpu_activation *activation,
                                          float *values, size_t stride,
                                          size_t rows, size_t columns);

ET_CPU_DECLARE(et_cpu_activate_f32_function, et_cpu_activate_f32);

/* Returns whether the activation is a function other than a clamp. */
static inline int et_cpu_is_curve(const et_cpu_activation *activation) {
  return activation->function > ET_CPU_ACTIVATION_FUNCTION_CLAMP;
}

#endif /* BACKENDS_CPU_MICROKERNELS_ACTIVATION_H_ */
