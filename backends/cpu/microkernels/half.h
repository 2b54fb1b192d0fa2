/* Conversions between float32 and float16 or bfloat16. They round to nearest, ties to even. */
#ifndef BACKENDS_CPU_MICROKERNELS_HALF_H_
#define BACKENDS_CPU_MICROKERNELS_HALF_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/simd.h"

typedef uint16_t et_u16 __attribute__((vector_size(2 * ET_CPU_LANES)));
typedef uint16_t et_u16_loose
    __attribute__((vector_size(2 * ET_CPU_LANES), aligned(2), may_alias));

ET_INLINE et_f32 et_f32_of_bfloat16(et_u16 x) {
#if defined(ET_CPU_ISA_AVX512)
  const et_u32 wide = (et_u32)_mm512_cvtepu16_epi32((__m256i)x);
#elif defined(ET_CPU_ISA_AVX2) /* GCC 12 would convert one lane at a time. */
  const et_u32 wide = (et_u32)_mm256_cvtepu16_epi32((__m128i)x);
#else
  const et_u32 wide = __builtin_convertvector(x, et_u32);
#endif
  return (et_f32)(wide << 16);
}

/* NaN becomes a quiet NaN. */
ET_INLINE et_u16 et_bfloat16_of_f32(et_f32 x) {
  const et_u32 bits = (et_u32)x;
  const et_u32 rounded = bits + 0x7fffu + (bits >> 16 & 1u);
  const et_u32 is_nan = (et_u32)(x != x);
  const et_u32 top = (is_nan & (bits | 0x400000u)) | (~is_nan & rounded);
  return __builtin_convertvector(top >> 16, et_u16);
}

#if defined(ET_CPU_ISA_AVX512)
ET_INLINE et_f32 et_f32_of_float16(et_u16 x) {
  return (et_f32)_mm512_cvtph_ps((__m256i)x);
}

ET_INLINE et_u16 et_float16_of_f32(et_f32 x) {
  return (et_u16)_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT);
}
#elif defined(ET_CPU_ISA_AVX2)
ET_INLINE et_f32 et_f32_of_float16(et_u16 x) {
  return (et_f32)_mm256_cvtph_ps((__m128i)x);
}

ET_INLINE et_u16 et_float16_of_f32(et_f32 x) {
  return (et_u16)_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT);
}
#elif defined(ET_CPU_ISA_NEON)
ET_INLINE et_f32 et_f32_of_float16(et_u16 x) {
  return (et_f32)vcvt_f32_f16((float16x4_t)x);
}

ET_INLINE et_u16 et_float16_of_f32(et_f32 x) {
  return (et_u16)vcvt_f16_f32((float32x4_t)x);
}
#else
/* The multiplication adjusts the exponent and also handles subnormals. For infinity and NaN, the
 * exponent is set to its maximum. */
ET_INLINE et_f32 et_f32_of_float16(et_u16 x) {
  const et_u32 bits = __builtin_convertvector(x, et_u32);
  const et_u32 magnitude = (bits & 0x7fffu) << 13;
  const et_u32 is_largest = (et_u32)(magnitude >= 0xf800000u);
  const et_f32 moved = (et_f32)magnitude * 0x1p112f;
  return (et_f32)((et_u32)moved | (is_largest & 0x7f800000u) |
                  (bits & 0x8000u) << 16);
}

/* A value below the smallest normal float16 is rounded by adding 0.5: floats in [0.5, 1) are
 * multiples of 2^-24, the unit of subnormal float16 values. Subtracting the bits of 0.5 leaves the
 * result. */
ET_INLINE et_u16 et_float16_of_f32(et_f32 x) {
  const et_u32 bits = (et_u32)x & 0x7fffffffu;
  const et_u32 small = (et_u32)((et_f32)bits + 0.5f) - 0x3f000000u;
  const et_u32 normal = (bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u)) >> 13;
  const et_u32 is_small = (et_u32)(bits < 0x38800000u);
  const et_u32 is_large = (et_u32)(bits >= 0x47800000u);
  const et_u32 is_nan = (et_u32)(bits > 0x7f800000u);
  const et_u32 large = 0x7c00u | (is_nan & (0x200u | (bits >> 13 & 0x3ffu)));
  const et_u32 finite = (is_small & small) | (~is_small & normal);
  const et_u32 sign = (et_u32)x >> 16 & 0x8000u;
  return __builtin_convertvector(
      (is_large & large) | (~is_large & finite) | sign, et_u16);
}
#endif

ET_INLINE et_f32 et_half_as_f32(et_u16 x, bool is_bfloat) {
  return is_bfloat ? et_f32_of_bfloat16(x) : et_f32_of_float16(x);
}

ET_INLINE et_u16 et_f32_as_half(et_f32 x, bool is_bfloat) {
  return is_bfloat ? et_bfloat16_of_f32(x) : et_float16_of_f32(x);
}

ET_INLINE et_f32 et_half_load(const uint16_t *from, bool is_bfloat) {
  return et_half_as_f32(*(const et_u16_loose *)from, is_bfloat);
}

/* Widens `depth` rows of a panel to float32. */
ET_INLINE void et_widen_rows(const uint16_t *from, float *to, size_t depth,
                             bool is_bfloat) {
  for (size_t i = 0; i < depth * ET_CPU_PANEL; i += ET_CPU_LANES) {
    et_f32_store(to + i, et_half_load(from + i, is_bfloat));
  }
}

ET_INLINE void et_widen_panel(const uint16_t *from, float *to, size_t depth,
                              bool is_bfloat) {
  if (is_bfloat) {
    et_widen_rows(from, to, depth, true);
  } else {
    et_widen_rows(from, to, depth, false);
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_HALF_H_ */
