/* Online softmax of a query over blocks of keys (Milakov & Gimelshein 2018).
 *
 * For each block of scores s and values v, with the maximum m of all scores so far:
 *   factor = e^(previous m - m)
 *   sum = sum * factor + sum of e^(s - m)
 *   out = out * factor + sum of e^(s - m) * v
 * After the last block, out is divided by sum. */
#ifndef BACKENDS_CPU_MICROKERNELS_SDPA_SUM_H_
#define BACKENDS_CPU_MICROKERNELS_SDPA_SUM_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/rows.h"

/* State of a query after some blocks: the maximum score, the sum of weights e^(score - max), and
 * the sum of weighted values in `out`. */
typedef struct et_attention_sum {
  float *max;
  float *sum;
  float *out;
  size_t width;
} et_attention_sum;

ET_INLINE float et_exp_of(float x) { return et_f32_exp(et_f32_all(x))[0]; }

/* Ignores NaN, because the sum propagates it. */
ET_INLINE et_f32 et_join_above(et_f32 max, et_f32 x, et_f32 p) {
  (void)p;
  return et_f32_above(x, max);
}

/* Replaces scores with weights e^(score - max). Returns the sum of the weights, added in the order
 * of et_row_sum. */
ET_INLINE float et_weights_of(float *scores, size_t count, float max) {
  const et_f32 all = et_f32_all(max);
  et_f32 lanes[ET_ROW_VECTORS];
  ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
    lanes[v] = et_f32_all(0.0f);
  }
  size_t i = 0;
  for (; i + ET_ROW_LANES <= count; i += ET_ROW_LANES) {
    ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
      float *at = scores + i + v * ET_CPU_LANES;
      const et_f32 weights = et_f32_exp_negative(et_f32_load(at) - all);
      et_f32_store(at, weights);
      lanes[v] += weights;
    }
  }
  ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
    if (i < count) {
      const size_t left = count - i;
      const size_t some = left < ET_CPU_LANES ? left : ET_CPU_LANES;
      const et_f32 x = et_f32_load_some(scores + i, some);
      const et_f32 weights = et_f32_exp_negative(x - all);
      et_f32_store_some(scores + i, weights, some);
      lanes[v] += et_f32_load_some(scores + i, some);
      i += some;
    }
  }
  return et_row_fold(lanes, et_join_sum);
}

/* Returns the maximum to subtract from scores; 0 if the query has not attended to any key. */
ET_INLINE float et_attention_base(const et_attention_sum *q) {
  return *q->max == -__builtin_inff() ? 0.0f : *q->max;
}

/* Updates the maximum with the scores of a block and rescales the sums of earlier blocks to the new
 * maximum. */
ET_INLINE void et_attention_raise(const et_attention_sum *q, bool is_first,
                                  const float *scores, size_t seen) {
  const float before = *q->max;
  const float row_max = et_row_reduce(scores, seen, et_join_above,
                                      et_join_above, -__builtin_inff(), 0.0f);
  *q->max = row_max < before ? before : row_max;
  const float factor =
      is_first ? 1.0f : et_exp_of(before - et_attention_base(q));
  if (factor != 1.0f) {
    *q->sum *= factor;
    et_row_scale(q->out, q->out, q->width, factor);
  }
}

/* Replaces the scores of a block with weights and adds the weights to the sum. */
ET_INLINE void et_attention_weigh(const et_attention_sum *q, float *scores,
                                  size_t seen) {
  *q->sum += et_weights_of(scores, seen, et_attention_base(q));
}

/* Divides the output by the sum. If a query attends to no key, the sum is 0 and no block has
 * written the output, so the output is set to zeros. */
ET_NOINLINE void et_attention_divide(const et_attention_sum *q) {
  if (*q->sum == 0.0f) {
    memset(q->out, 0, q->width * sizeof(float));
  } else {
    et_row_scale(q->out, q->out, q->width, 1.0f / *q->sum);
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_SDPA_SUM_H_ */
