/* Horizontal sums of ET_CPU_LANES vectors at once. */
#ifndef BACKENDS_CPU_MICROKERNELS_REDUCE_LANES_H_
#define BACKENDS_CPU_MICROKERNELS_REDUCE_LANES_H_

#include "backends/cpu/microkernels/simd.h"

/* Returns a0 + a2, a1 + a3, b0 + b2, b1 + b3 for each group of four lanes. */
ET_INLINE et_f32 et_fold_halves(et_f32 a, et_f32 b) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x44) +
         (et_f32)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xee);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x44) +
         (et_f32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xee);
#else
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) +
         __builtin_shufflevector(a, b, 2, 3, 6, 7);
#endif
}

/* Returns a0 + a1, a2 + a3, b0 + b1, b2 + b3 for each group of four lanes. */
ET_INLINE et_f32 et_fold_pairs(et_f32 a, et_f32 b) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x88) +
         (et_f32)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xdd);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88) +
         (et_f32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
#else
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) +
         __builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
}

/* Reduces v[0], v[4], v[8] ... to four lanes each. The results are adjacent. */
ET_INLINE et_f32 et_fold_to_four(const et_f32 *v) {
#if defined(ET_CPU_ISA_AVX512)
  et_f32 half[2];
  ET_UNROLL for (int i = 0; i < 2; i++) {
    const __m512 a = (__m512)v[8 * i], b = (__m512)v[8 * i + 4];
    half[i] = (et_f32)_mm512_shuffle_f32x4(a, b, 0x44) +
              (et_f32)_mm512_shuffle_f32x4(a, b, 0xee);
  }
  const __m512 a = (__m512)half[0], b = (__m512)half[1];
  return (et_f32)_mm512_shuffle_f32x4(a, b, 0x88) +
         (et_f32)_mm512_shuffle_f32x4(a, b, 0xdd);
#elif defined(ET_CPU_ISA_AVX2)
  const __m256 a = (__m256)v[0], b = (__m256)v[4];
  return (et_f32)_mm256_permute2f128_ps(a, b, 0x20) +
         (et_f32)_mm256_permute2f128_ps(a, b, 0x31);
#else
  return v[0];
#endif
}

/* Returns a vector whose lane i is the sum of all lanes of v[i]. Each step adds two half
 * vectors. */
ET_INLINE et_f32 et_fold(const et_f32 *v) {
  et_f32 four[4];
  ET_UNROLL for (int i = 0; i < 4; i++) { four[i] = et_fold_to_four(v + i); }
  return et_fold_pairs(et_fold_halves(four[0], four[1]),
                       et_fold_halves(four[2], four[3]));
}

#endif /* BACKENDS_CPU_MICROKERNELS_REDUCE_LANES_H_ */
