/* Rows brought to mean 0 and variance 1, or to mean square 1. */
#ifndef BACKENDS_CPU_MICROKERNELS_NORM_H_
#define BACKENDS_CPU_MICROKERNELS_NORM_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"

typedef struct et_cpu_norm {
  const float *x;
  const float *scale; /* [columns]; NULL: 1 */
  const float *shift; /* [columns]; NULL: 0 */
  float *out;         /* may be x */
  size_t columns;
  float epsilon;
  bool centered; /* the mean is taken off first */
} et_cpu_norm;

typedef void et_cpu_norm_f32_function(const et_cpu_norm *norm, size_t first_row,
                                      size_t rows);

ET_CPU_DECLARE(et_cpu_norm_f32_function, et_cpu_norm_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_NORM_H_ */
