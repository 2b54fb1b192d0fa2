/* Activations of float32 rows, in place: y = f(x).
 *
 * Microkernels clamp results before they store them. They call this one for other functions, a
 * few tiles at a time, while the results are in the L1 cache. A tile is one vector; the last one
 * of a row is partial. It is bound by the arithmetic of the functions. */
#ifndef BACKENDS_CPU_MICROKERNELS_ACTIVATE_H_
#define BACKENDS_CPU_MICROKERNELS_ACTIVATE_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"

/* Applies the activation to `columns` columns of `rows` rows, which are `stride` floats apart. */
typedef void et_cpu_activate_f32_function(const et_cpu_activation *activation,
                                          float *values, size_t stride,
                                          size_t rows, size_t columns);

ET_CPU_DECLARE(et_cpu_activate_f32_function, et_cpu_activate_f32);

/* Returns true for any activation other than none or a clamp. */
static inline int et_cpu_is_curve(const et_cpu_activation *activation) {
  return activation->function > ET_CPU_ACTIVATION_FUNCTION_CLAMP;
}

#endif /* BACKENDS_CPU_MICROKERNELS_ACTIVATE_H_ */
