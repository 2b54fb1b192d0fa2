/* A query's softmax over keys that come block by block. */
#ifndef BACKENDS_CPU_MICROKERNELS_SDPA_SUM_H_
#define BACKENDS_CPU_MICROKERNELS_SDPA_SUM_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/rows.h"

/* What blocks have given so far: the largest score, and the sum of the
 * e^(score - most) that weigh the values in the output. */
typedef struct et_attention_sum {
  float *most;
  float *sum;
  float *out;
  size_t width;
} et_attention_sum;

ET_INLINE float et_exp_of(float x) { return et_f32_exp(et_f32_all(x))[0]; }

/* NaN is left out: it is in the sum then. */
ET_INLINE et_f32 et_join_above(et_f32 most, et_f32 x, et_f32 p) {
  (void)p;
  return et_f32_above(x, most);
}

/* Turns scores into e^(score - most), and adds these up as et_row_sum does. */
ET_INLINE float et_weights_of(float *scores, size_t count, float most) {
  const et_f32 all = et_f32_all(most);
  et_f32 lanes[ET_ROW_VECTORS];
  ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
    lanes[v] = et_f32_all(0.0f);
  }
  size_t i = 0;
  for (; i + ET_ROW_LANES <= count; i += ET_ROW_LANES) {
    ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
      float *at = scores + i + v * ET_CPU_LANES;
      const et_f32 weights = et_f32_exp_falling(et_f32_load(at) - all);
      et_f32_store(at, weights);
      lanes[v] += weights;
    }
  }
  ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
    if (i < count) {
      const size_t left = count - i;
      const size_t some = left < ET_CPU_LANES ? left : ET_CPU_LANES;
      const et_f32 x = et_f32_load_some(scores + i, some);
      const et_f32 weights = et_f32_exp_falling(x - all);
      et_f32_store_some(scores + i, weights, some);
      lanes[v] += et_f32_load_some(scores + i, some);
      i += some;
    }
  }
  return et_row_fold(lanes, et_join_sum);
}

/* What a query's scores are reduced by; of one that has seen no key, nothing. */
ET_INLINE float et_attention_base(const et_attention_sum *q) {
  return *q->most == -__builtin_inff() ? 0.0f : *q->most;
}

/* Takes the largest score of a block, and turns what was summed before with another
 * maximum into what it is with this one. */
ET_INLINE void et_attention_raise(const et_attention_sum *q, bool is_first,
                                  const float *scores, size_t seen) {
  const float before = *q->most;
  const float row_most = et_row_reduce(scores, seen, et_join_above,
                                       et_join_above, -__builtin_inff(), 0.0f);
  *q->most = row_most < before ? before : row_most;
  const float factor =
      is_first ? 1.0f : et_exp_of(before - et_attention_base(q));
  if (factor != 1.0f) {
    *q->sum *= factor;
    et_row_scale(q->out, q->out, q->width, factor);
  }
}

/* Then turns the scores into e^(score - most). */
ET_INLINE void et_attention_weigh(const et_attention_sum *q, float *scores,
                                  size_t seen) {
  *q->sum += et_weights_of(scores, seen, et_attention_base(q));
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

#endif /* BACKENDS_CPU_MICROKERNELS_SDPA_SUM_H_ */
