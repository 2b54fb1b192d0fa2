/* Implements et_cpu_softmax_f32 of normalization.h: softmax of rows, or its logarithm.
 *
 *   y = e^(x - max) / sum of e^(x - max), or y = (x - max) - log(sum of e^(x - max))
 *
 * x and y are [rows, columns]. The maximum and the sum have 32 lanes (rows.h). Exponentials are the
 * bottleneck. */
#include "backends/cpu/microkernels/normalization.h"

#include <math.h>

#include "backends/cpu/microkernels/rows.h"

/* Adds e^(x - p) to a sum. */
ET_INLINE et_f32 join_exp(et_f32 sum, et_f32 x, et_f32 p) {
  return sum + et_f32_exp(x - p);
}

static void divide_row(const float *x, float *y, size_t count) {
  et_row_exp(x, y, count, et_row_max(x, count));
  et_row_scale(y, y, count, 1.0f / et_row_sum(y, count));
}

static void subtract_row(const float *x, float *y, size_t count) {
  const float max = et_row_max(x, count);
  const float sum = et_row_reduce(x, count, join_exp, et_join_sum, 0.0f, max);
  const float logarithm = logf(sum);
  for (size_t i = 0; i < count; i += ET_CPU_LANES) {
    const size_t left = count - i;
    const size_t some = left < ET_CPU_LANES ? left : ET_CPU_LANES;
    const et_f32 above = et_f32_load_some(x + i, some) - et_f32_all(max);
    et_f32_store_some(y + i, above - et_f32_all(logarithm), some);
  }
}

void ET_CPU_NAME(et_cpu_softmax_f32)(const et_cpu_softmax *softmax,
                                     size_t first_row, size_t rows) {
  const size_t columns = softmax->columns;
  for (size_t i = first_row; i < first_row + rows; i++) {
    const float *x = softmax->x + i * columns;
    float *y = softmax->out + i * columns;
    if (softmax->logarithm) {
      subtract_row(x, y, columns);
    } else {
      divide_row(x, y, columns);
    }
  }
}
