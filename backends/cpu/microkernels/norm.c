/* Implements et_cpu_norm_f32 of normalization.h: layer norm and RMS norm of rows.
 *
 *   y = (x - mean) / sqrt(mean of (x - mean)^2 + epsilon) * scale + shift; RMS norm: mean = 0
 *
 * x and y are [rows, columns]. The sums have 32 lanes (rows.h); the result is computed one vector
 * at a time. Loads and stores are the bottleneck. */
#include "backends/cpu/microkernels/normalization.h"

#include <math.h>

#include "backends/cpu/microkernels/rows.h"

typedef struct row {
  const float *x;
  float *out;
  float mean;
  float factor;
} row;

/* Scales the `count` <= ET_CPU_LANES columns that start at column `i`. */
ET_INLINE void scale_some(const et_cpu_norm *n, const row *r, size_t i,
                          size_t count) {
  const et_f32 x = et_f32_load_some(r->x + i, count) - et_f32_all(r->mean);
  const et_f32 y = x * et_f32_all(r->factor);
  const et_f32 scale = n->scale != NULL ? et_f32_load_some(n->scale + i, count)
                                        : et_f32_all(1.0f);
  const et_f32 shift = n->shift != NULL ? et_f32_load_some(n->shift + i, count)
                                        : et_f32_all(0.0f);
  et_f32_store_some(r->out + i, et_f32_fma(y, scale, shift), count);
}

ET_INLINE void scale_row(const et_cpu_norm *n, const row *r) {
  const et_f32 mean = et_f32_all(r->mean);
  const et_f32 factor = et_f32_all(r->factor);
  size_t i = 0;
  for (; i + ET_CPU_LANES <= n->columns; i += ET_CPU_LANES) {
    const et_f32 y = (et_f32_load(r->x + i) - mean) * factor;
    const et_f32 scale =
        n->scale != NULL ? et_f32_load(n->scale + i) : et_f32_all(1.0f);
    const et_f32 shift =
        n->shift != NULL ? et_f32_load(n->shift + i) : et_f32_all(0.0f);
    et_f32_store(r->out + i, et_f32_fma(y, scale, shift));
  }
  if (i < n->columns) {
    scale_some(n, r, i, n->columns - i);
  }
}

void ET_CPU_NAME(et_cpu_norm_f32)(const et_cpu_norm *norm, size_t first_row,
                                  size_t rows) {
  const size_t columns = norm->columns;
  for (size_t i = first_row; i < first_row + rows; i++) {
    row r = {.x = norm->x + i * columns, .out = norm->out + i * columns};
    r.mean = norm->centered ? et_row_sum(r.x, columns) / (float)columns : 0.0f;
    const float variance =
        et_row_squares(r.x, columns, r.mean) / (float)columns;
    r.factor = 1.0f / sqrtf(variance + norm->epsilon);
    scale_row(norm, &r);
  }
}
