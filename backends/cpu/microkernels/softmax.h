/* Softmax of float32 rows, or its logarithm.
 *
 *   y = e^(x - max) / sum of e^(x - max), or y = (x - max) - log(sum of e^(x - max))
 *
 * x and y are [rows, columns]. Each row takes several passes (maximum, exponentials, sum, scaling),
 * during which it stays in cache. Reductions use the 32 lanes of rows.h, so sums are bit-identical
 * on every instruction set with a fused multiply-add. Exponentials are the bottleneck. */
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
