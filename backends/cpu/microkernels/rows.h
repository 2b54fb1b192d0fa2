/* Reductions of float32 rows, with the same order of summation for every instruction set: element i
 * is added to lane i % 32. The lanes are then combined in pairs at distances 16, 8, 4, 2 and 1. */
#ifndef BACKENDS_CPU_MICROKERNELS_ROWS_H_
#define BACKENDS_CPU_MICROKERNELS_ROWS_H_

#include "backends/cpu/microkernels/functions.h"

#define ET_ROW_LANES 32
#define ET_ROW_VECTORS (ET_ROW_LANES / ET_CPU_LANES)

/* Combines an accumulator with the next elements. `p` is an additional parameter. */
typedef et_f32 et_row_join(et_f32 sum, et_f32 x, et_f32 p);

ET_INLINE et_f32 et_join_sum(et_f32 sum, et_f32 x, et_f32 p) {
  (void)p;
  return sum + x;
}

/* NaN is propagated. */
ET_INLINE et_f32 et_join_larger(et_f32 max, et_f32 x, et_f32 p) {
  (void)p;
  return et_f32_select((x > max) | (x != x), x, max);
}

ET_INLINE et_f32 et_join_smaller(et_f32 min, et_f32 x, et_f32 p) {
  (void)p;
  return et_f32_select((x < min) | (x != x), x, min);
}

ET_INLINE et_f32 et_join_product(et_f32 product, et_f32 x, et_f32 p) {
  (void)p;
  return product * x;
}

/* Sum of (x - p)^2. */
ET_INLINE et_f32 et_join_squares(et_f32 sum, et_f32 x, et_f32 p) {
  const et_f32 d = x - p;
  return et_f32_fma(d, d, sum);
}

/* Returns a mask with the first `count` lanes set. */
ET_INLINE et_i32 et_first_lanes(size_t count) {
  static const int32_t ramp[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                   8, 9, 10, 11, 12, 13, 14, 15};
  et_i32 lanes;
  memcpy(&lanes, ramp, sizeof(lanes));
  return lanes < (int32_t)count;
}

/* Swaps groups of `half` lanes: lane i of the first group is lane i + `half` of `x`. */
ET_INLINE et_f32 et_f32_upper(et_f32 x, int half) {
#if defined(ET_CPU_ISA_AVX512)
  const __m512 a = (__m512)x;
  return half == 8   ? (et_f32)_mm512_shuffle_f32x4(a, a, 0x4e)
         : half == 4 ? (et_f32)_mm512_shuffle_f32x4(a, a, 0xb1)
         : half == 2 ? (et_f32)_mm512_permute_ps(a, 0x4e)
                     : (et_f32)_mm512_permute_ps(a, 0xb1);
#elif defined(ET_CPU_ISA_AVX2)
  const __m256 a = (__m256)x;
  return half == 4   ? (et_f32)_mm256_permute2f128_ps(a, a, 0x01)
         : half == 2 ? (et_f32)_mm256_permute_ps(a, 0x4e)
                     : (et_f32)_mm256_permute_ps(a, 0xb1);
#else
  return half == 2 ? __builtin_shufflevector(x, x, 2, 3, 0, 1)
                   : __builtin_shufflevector(x, x, 1, 0, 3, 2);
#endif
}

/* Returns the sum of all lanes. */
ET_INLINE int32_t et_i32_total(et_i32 x) {
  ET_UNROLL for (int half = ET_CPU_LANES / 2; half > 0; half /= 2) {
    x += (et_i32)et_f32_upper((et_f32)x, half);
  }
  return x[0];
}

/* Reduces the lanes of all vectors to one value. */
ET_INLINE float et_row_fold(et_f32 *lanes, et_row_join *join) {
  const et_f32 none = et_f32_all(0.0f);
  ET_UNROLL for (int half = ET_ROW_VECTORS / 2; half > 0; half /= 2) {
    ET_UNROLL for (int v = 0; v < half; v++) {
      lanes[v] = join(lanes[v], lanes[v + half], none);
    }
  }
  et_f32 all = lanes[0];
#if ET_CPU_LANES > 8
  all = join(all, et_f32_upper(all, 8), none);
#endif
#if ET_CPU_LANES > 4
  all = join(all, et_f32_upper(all, 4), none);
#endif
  all = join(all, et_f32_upper(all, 2), none);
  all = join(all, et_f32_upper(all, 1), none);
  return all[0];
}

/* Reduces a row. `join` combines elements; every lane starts from `start`. `fold` combines the
 * lanes. */
ET_INLINE float et_row_reduce(const float *x, size_t count, et_row_join *join,
                              et_row_join *fold, float start, float parameter) {
  const et_f32 p = et_f32_all(parameter);
  et_f32 lanes[ET_ROW_VECTORS];
  ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
    lanes[v] = et_f32_all(start);
  }
  size_t i = 0;
  for (; i + ET_ROW_LANES <= count; i += ET_ROW_LANES) {
    ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
      lanes[v] = join(lanes[v], et_f32_load(x + i + v * ET_CPU_LANES), p);
    }
  }
  ET_UNROLL for (int v = 0; v < ET_ROW_VECTORS; v++) {
    if (i < count) {
      const size_t left = count - i;
      const size_t some = left < ET_CPU_LANES ? left : ET_CPU_LANES;
      const et_f32 next = join(lanes[v], et_f32_load_some(x + i, some), p);
      lanes[v] = et_f32_select(et_first_lanes(some), next, lanes[v]);
      i += some;
    }
  }
  return et_row_fold(lanes, fold);
}

ET_INLINE float et_row_sum(const float *x, size_t count) {
  return et_row_reduce(x, count, et_join_sum, et_join_sum, 0.0f, 0.0f);
}

ET_INLINE float et_row_max(const float *x, size_t count) {
  return et_row_reduce(x, count, et_join_larger, et_join_larger,
                       -__builtin_inff(), 0.0f);
}

/* Returns the sum of (x - mean)^2. */
ET_INLINE float et_row_squares(const float *x, size_t count, float mean) {
  return et_row_reduce(x, count, et_join_squares, et_join_sum, 0.0f, mean);
}

ET_INLINE void et_row_scale(const float *x, float *y, size_t count,
                            float factor) {
  const et_f32 all = et_f32_all(factor);
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(y + i, et_f32_load(x + i) * all);
  }
  if (i < count) {
    const et_f32 last = et_f32_load_some(x + i, count - i);
    et_f32_store_some(y + i, last * all, count - i);
  }
}

/* Computes y = e^(x - max). */
ET_INLINE void et_row_exp(const float *x, float *y, size_t count, float max) {
  const et_f32 all = et_f32_all(max);
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(y + i, et_f32_exp(et_f32_load(x + i) - all));
  }
  if (i < count) {
    const et_f32 last = et_f32_load_some(x + i, count - i) - all;
    et_f32_store_some(y + i, et_f32_exp(last), count - i);
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_ROWS_H_ */
