/* Normalization of float32 rows: layer norm, RMS norm and softmax. */
#ifndef BACKENDS_CPU_MICROKERNELS_NORMALIZATION_H_
#define BACKENDS_CPU_MICROKERNELS_NORMALIZATION_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"

/* Normalization of float32 rows: layer norm or RMS norm.
 *
 *   y = (x - mean) / sqrt(mean of (x - mean)^2 + epsilon) * scale + shift
 *   y = x / sqrt(mean of x^2 + epsilon) * scale + shift
 *
 * x and y are [rows, columns]. Each row takes two or three passes (mean, variance, result), during
 * which it stays in cache. Reductions use the 32 lanes of rows.h, so results are bit-identical on
 * every instruction set with a fused multiply-add. Loads and stores are the bottleneck. */

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

/* Softmax of float32 rows, or its logarithm.
 *
 *   y = e^(x - max) / sum of e^(x - max), or y = (x - max) - log(sum of e^(x - max))
 *
 * x and y are [rows, columns]. Each row takes several passes (maximum, exponentials, sum, scaling),
 * during which it stays in cache. Reductions use the 32 lanes of rows.h, so sums are bit-identical
 * on every instruction set with a fused multiply-add. Exponentials are the bottleneck. */

typedef struct et_cpu_softmax {
  const float *x;
  float *out; /* may be x */
  size_t columns;
  bool logarithm;
} et_cpu_softmax;

typedef void et_cpu_softmax_f32_function(const et_cpu_softmax *softmax,
                                         size_t first_row, size_t rows);

ET_CPU_DECLARE(et_cpu_softmax_f32_function, et_cpu_softmax_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_NORMALIZATION_H_ */
