/* Normalization of float32 rows: layer norm or RMS norm.
 *
 *   y = (x - mean) / sqrt(mean of (x - mean)^2 + epsilon) * scale + shift
 *   y = x / sqrt(mean of x^2 + epsilon) * scale + shift
 *
 * x and y are [rows, columns]. Each row takes two or three passes (mean, variance, result), during
 * which it stays in cache. Reductions use the 32 lanes of rows.h, so results are bit-identical on
 * every instruction set with a fused multiply-add. Loads and stores are the bottleneck. */
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
  bool centered; /* true: subtract the mean (layer norm); false: RMS norm */
} et_cpu_norm;

typedef void et_cpu_norm_f32_function(const et_cpu_norm *norm, size_t first_row,
                                      size_t rows);

ET_CPU_DECLARE(et_cpu_norm_f32_function, et_cpu_norm_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_NORM_H_ */
