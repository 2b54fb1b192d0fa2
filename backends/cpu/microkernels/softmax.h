/* Rows of probabilities: e^x over its sum, or its logarithm. */
#ifndef BACKENDS_CPU_MICROKERNELS_SOFTMAX_H_
#define BACKENDS_CPU_MICROKERNELS_SOFTMAX_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"

typedef struct et_cpu_softmax {
  const float *x;
  float *out; /* may be x */
  size_t columns;
  bool logarithm;
} et_cpu_softmax;

typedef void et_cpu_softmax_f32_function(const et_cpu_softmax *softmax,
                                         size_t first_row, size_t rows);

ET_CPU_DECLARE(et_cpu_softmax_f32_function, et_cpu_softmax_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_SOFTMAX_H_ */
