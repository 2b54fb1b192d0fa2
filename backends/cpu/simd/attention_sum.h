/* A query's softmax over keys that come block by block. */
#ifndef BACKENDS_CPU_SIMD_ATTENTION_SUM_H_
#define BACKENDS_CPU_SIMD_ATTENTION_SUM_H_

#include <stdbool.h>

#include "backends/cpu/simd/rows.h"

/* What blocks have given so far: the largest score, and the sum of the
 * e^(score - most) that weigh the values in the output. */
typedef struct et_attention_sum {
  float *most;
  float *sum;
  float *out;
  size_t width;
} et_attention_sum;

ET_INLINE float et_exp_of(float x) { return et_f32_exp(et_f32_all(x))[0]; }

/* Turns the scores of a block into e^(score - most), and what was summed before
 * with another maximum into what it is with this one. Weights from `seen` to
 * `columns` are 0. */
ET_APART void et_attention_weigh(const et_attention_sum *q, bool is_first,
                                 float *scores, size_t seen, size_t columns) {
  const float before = *q->most;
  const float row_most = et_row_most(scores, seen);
  const float most = row_most < before ? before : row_most;
  const float base = most == -__builtin_inff() ? 0.0f : most;
  et_row_exp(scores, scores, seen, base);
  memset(scores + seen, 0, (columns - seen) * sizeof(float));
  const float factor = is_first ? 0.0f : et_exp_of(before - base);
  *q->sum = *q->sum * factor + et_row_sum(scores, seen);
  *q->most = most;
  if (!is_first && factor != 1.0f) {
    et_row_scale(q->out, q->out, q->width, factor);
  }
}

/* A query that sees nothing has a sum of 0, and gives zeros, even where nothing
 * was written for want of keys. */
ET_APART void et_attention_divide(const et_attention_sum *q) {
  if (*q->sum == 0.0f) {
    memset(q->out, 0, q->width * sizeof(float));
  } else {
    et_row_scale(q->out, q->out, q->width, 1.0f / *q->sum);
  }
}

#endif /* BACKENDS_CPU_SIMD_ATTENTION_SUM_H_ */
