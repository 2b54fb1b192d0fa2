/* Vectors of small integers: exact int8 dot products and conversions for requantization. */
#ifndef BACKENDS_CPU_MICROKERNELS_SIMD_I8_H_
#define BACKENDS_CPU_MICROKERNELS_SIMD_I8_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/simd.h"

/* Has the same size as et_i32, because et_i32_dot2 adds pairs of its elements. */
typedef int16_t et_i16 __attribute__((vector_size(4 * ET_CPU_LANES)));
typedef int8_t et_i8 __attribute__((vector_size(4 * ET_CPU_LANES)));
typedef uint8_t et_u8 __attribute__((vector_size(4 * ET_CPU_LANES)));
typedef int32_t et_i32_loose
    __attribute__((vector_size(4 * ET_CPU_LANES), aligned(4), may_alias));
typedef int8_t et_i8_loose
    __attribute__((vector_size(4 * ET_CPU_LANES), aligned(1), may_alias));
typedef int8_t et_i8_narrow __attribute__((vector_size(ET_CPU_LANES)));
/* One byte per column of a panel. */
typedef uint8_t et_panel_bytes __attribute__((vector_size(ET_CPU_PANEL)));

/* Whether et_i32_dot4, a dot product of four bytes, is a fast, exact instruction. Its operand `x`
 * is unsigned, so et_dot4_shift() is added to int8 values. With NEON, and in some WebAssembly
 * engines, `x` is signed. AVX2 saturates if the sum of two products exceeds int16. Callers
 * therefore use it only if w[i] * max(x) + w[i + 1] * max(x) fits in int16 for any two adjacent
 * weights. */
#if defined(ET_CPU_ISA_AVX512) || defined(ET_CPU_ISA_AVXVNNI) || \
    defined(ET_CPU_ISA_NEON) || defined(ET_CPU_ISA_WASM_RELAXED_DOT)
#define ET_DOT4_EXACT 1
#else
#define ET_DOT4_EXACT 0
#endif
/* Whether it is faster to add int8 products that fit in int16 with et_i16_dot2. */
#if defined(ET_CPU_ISA_AVX2) && !ET_DOT4_EXACT
#define ET_SUMS_OF_16 1
#else
#define ET_SUMS_OF_16 0
#endif
/* Whether four vectors are converted to bytes by packing within 128-bit lanes. */
#if defined(ET_CPU_ISA_AVX2) || defined(ET_CPU_ISA_AVX512)
#define ET_PACKS_LANES 1
/* Names of intrinsics for both vector widths. */
#if defined(ET_CPU_ISA_AVX512)
typedef __m512i et_bits;
typedef __m512 et_numbers;
#define ET_OF_WIDTH(name) _mm512_##name
#else
typedef __m256i et_bits;
typedef __m256 et_numbers;
#define ET_OF_WIDTH(name) _mm256_##name
#endif
#else
#define ET_PACKS_LANES 0
#endif

/* Returns the offset that int8 values need as operand `x` of et_i32_dot4: 128 if it is unsigned, 0
 * if it is signed. WebAssembly leaves this choice to the engine, which never changes it. */
ET_INLINE int32_t et_dot4_shift(void) {
#if defined(ET_CPU_ISA_NEON)
  return 0;
#elif defined(ET_CPU_ISA_WASM_RELAXED_DOT)
  const v128_t products = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
      wasm_i8x16_const_splat(1), wasm_i8x16_const_splat(-128),
      wasm_i32x4_const_splat(0));
  return wasm_i32x4_extract_lane(products, 0) < 0 ? 0 : 128;
#else
  return 128;
#endif
}

ET_INLINE et_i32 et_i32_load(const int32_t *from) {
  return *(const et_i32_loose *)from;
}

ET_INLINE void et_i32_store(int32_t *to, et_i32 value) {
  *(et_i32_loose *)to = value;
}

ET_INLINE et_i8 et_i8_load(const int8_t *from) {
  return *(const et_i8_loose *)from;
}

ET_INLINE et_i32 et_i32_all(int32_t value) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_i32)_mm512_set1_epi32(value);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_i32)_mm256_set1_epi32(value);
#else
  return (et_i32){value, value, value, value};
#endif
}

/* Returns whether any bit is set. */
ET_INLINE bool et_i32_any(et_i32 value) {
#if defined(ET_CPU_ISA_AVX512)
  return _mm512_test_epi32_mask((__m512i)value, (__m512i)value) != 0;
#elif defined(ET_CPU_ISA_AVX2)
  return _mm256_testz_si256((__m256i)value, (__m256i)value) == 0;
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return wasm_v128_any_true((v128_t)value);
#else
  int32_t bits = 0;
  for (int i = 0; i < ET_CPU_LANES; i++) {
    bits |= value[i];
  }
  return bits != 0;
#endif
}

/* Returns a + b modulo 2^32. */
ET_INLINE et_i32 et_i32_add(et_i32 a, et_i32 b) {
  return (et_i32)((et_u32)a + (et_u32)b);
}

/* Returns sum + a[2i] * b[2i] + a[2i + 1] * b[2i + 1] in each lane i, modulo 2^32. The sum of
 * both products must fit in int32. */
ET_INLINE et_i32 et_i32_dot2(et_i32 sum, et_i16 a, et_i16 b) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_i32)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(ET_CPU_ISA_AVXVNNI)
  return (et_i32)_mm256_dpwssd_avx_epi32((__m256i)sum, (__m256i)a, (__m256i)b);
#elif defined(ET_CPU_ISA_AVX2)
  return et_i32_add(sum, (et_i32)_mm256_madd_epi16((__m256i)a, (__m256i)b));
#elif defined(ET_CPU_ISA_NEON)
  const int16x8_t x = (int16x8_t)a;
  const int16x8_t y = (int16x8_t)b;
  return et_i32_add(
      sum, (et_i32)vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)),
                              vmull_high_s16(x, y)));
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return et_i32_add(sum, (et_i32)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b));
#else
  const et_i32 x = (et_i32)a;
  const et_i32 y = (et_i32)b;
  return et_i32_add(sum,
                    (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16));
#endif
}

/* Loads 2 * ET_CPU_LANES bytes, XORs them with `flip` and sign-extends them to int16. */
ET_INLINE et_i16 et_i16_of_int8(const uint8_t *from, uint8_t flip) {
  typedef uint8_t bytes __attribute__((vector_size(2 * ET_CPU_LANES)));
  typedef int8_t signed_bytes __attribute__((vector_size(2 * ET_CPU_LANES)));
  bytes x;
  memcpy(&x, from, sizeof(x));
  const signed_bytes turned = (signed_bytes)(x ^ flip);
#if defined(ET_CPU_ISA_AVX512)
  return (et_i16)_mm512_cvtepi8_epi16((__m256i)turned);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_i16)_mm256_cvtepi8_epi16((__m128i)turned);
#else
  return __builtin_convertvector(turned, et_i16);
#endif
}

/* Returns sum + the dot product of four bytes in each lane. The bytes of `x` are unsigned, or signed
 * if et_dot4_shift() is 0. */
ET_INLINE et_i32 et_i32_dot4(et_i32 sum, et_i8 x, et_i8 weights) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_i32)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x,
                                     (__m512i)weights);
#elif defined(ET_CPU_ISA_AVXVNNI)
  return (et_i32)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)x,
                                         (__m256i)weights);
#elif defined(ET_CPU_ISA_AVX2)
  const __m256i ones = _mm256_set1_epi16(1);
  const __m256i pairs = _mm256_maddubs_epi16((__m256i)x, (__m256i)weights);
  return sum + (et_i32)_mm256_madd_epi16(pairs, ones);
#elif defined(ET_CPU_ISA_NEON)
  return (et_i32)vdotq_s32((int32x4_t)sum, (int8x16_t)x, (int8x16_t)weights);
#elif defined(ET_CPU_ISA_WASM_RELAXED_DOT)
  return (et_i32)wasm_i32x4_relaxed_dot_i8x16_i7x16_add((v128_t)weights,
                                                        (v128_t)x, (v128_t)sum);
#else
  const et_i16 bytes = (et_i16)x;
  const et_i16 w = (et_i16)weights;
  sum = et_i32_dot2(sum, bytes & 255, w << 8 >> 8);
  return et_i32_dot2(sum, (bytes >> 8) & 255, w >> 8);
#endif
}

/* et_i32_dot4 for `x` in [0, 127], exact with every instruction set. Relaxed dot products are exact
 * in every engine, because the sums of two products fit in int16: 2 * 127 * 128 < 2^15. */
ET_INLINE et_i32 et_i32_dot4_of_7_bits(et_i32 sum, et_i8 x, et_i8 weights) {
#if defined(ET_CPU_ISA_WASM_RELAXED_SIMD)
  return (et_i32)wasm_i32x4_relaxed_dot_i8x16_i7x16_add((v128_t)weights,
                                                        (v128_t)x, (v128_t)sum);
#else
  return et_i32_dot4(sum, x, weights);
#endif
}

#if ET_SUMS_OF_16
/* Returns sum + x[2i] * weights[2i] + x[2i + 1] * weights[2i + 1] in each lane i of int16. `x` is
 * unsigned. All sums must fit in int16. If a payload's weights violate max_exact_terms, the result
 * is wrong but defined. */
ET_INLINE et_i16 et_i16_dot2(et_i16 sum, et_i8 x, et_i8 weights) {
  const __m256i more = _mm256_maddubs_epi16((__m256i)x, (__m256i)weights);
  return (et_i16)_mm256_add_epi16((__m256i)sum, more);
}

/* Returns sum + pairs[2i] + pairs[2i + 1] in each lane i. */
ET_INLINE et_i32 et_i32_add2(et_i32 sum, et_i16 pairs) {
  const __m256i ones = _mm256_set1_epi16(1);
  return sum + (et_i32)_mm256_madd_epi16((__m256i)pairs, ones);
}
#endif

ET_INLINE et_f32 et_f32_of_i32(et_i32 value) {
  return __builtin_convertvector(value, et_f32);
}

/* 1.5 * 2^23, at which the unit in the last place of a float is 1. Adding this constant rounds
 * values within 2^22 of zero to the nearest integer, ties to even. NaN yields any integer. */
#define ET_ROUNDING 12582912.0f
#define ET_ROUNDING_BITS 0x4B400000

/* Returns the nearest integers plus `offset`. */
ET_INLINE et_i32 et_i32_nearest(et_f32 value, int32_t offset) {
  return (et_i32)(value + et_f32_all(ET_ROUNDING)) -
         et_i32_all(ET_ROUNDING_BITS - offset);
}

/* Loads ET_CPU_LANES bytes and widens them to int32. */
ET_INLINE et_i32 et_i32_of_int8(const uint8_t *from, bool is_signed) {
#if defined(ET_CPU_ISA_AVX512)
  const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
  return (et_i32)(is_signed ? _mm512_cvtepi8_epi32(bytes)
                            : _mm512_cvtepu8_epi32(bytes));
#elif defined(ET_CPU_ISA_AVX2)
  /* GCC compiles __builtin_convertvector to one conversion per lane. */
  const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
  return (et_i32)(is_signed ? _mm256_cvtepi8_epi32(bytes)
                            : _mm256_cvtepu8_epi32(bytes));
#else
  et_i8_narrow bytes;
  memcpy(&bytes, from, sizeof(bytes));
  const et_i32 wide = __builtin_convertvector(bytes, et_i32);
  return is_signed ? wide : wide & 255;
#endif
}

/* Returns the low byte of each lane. */
ET_INLINE et_i8_narrow et_i8_of_i32(et_i32 value) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_i8_narrow)_mm512_cvtepi32_epi8((__m512i)value);
#elif defined(ET_CPU_ISA_AVX2)
  /* GCC compiles __builtin_convertvector to one conversion per lane. */
  const __m256i low = _mm256_set1_epi32(0x0c080400);
  const __m256i halves = _mm256_shuffle_epi8((__m256i)value, low);
  const int64_t bytes = _mm_cvtsi128_si64(_mm_unpacklo_epi32(
      _mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1)));
  return (et_i8_narrow)bytes;
#else
  return __builtin_convertvector(value, et_i8_narrow);
#endif
}

#if !ET_PACKS_LANES
/* Returns the low bytes of the lanes of four vectors. */
ET_INLINE et_u8 et_low_bytes(const et_i32 *vectors) {
#if defined(ET_CPU_ISA_WASM_SIMD128)
  v128_t low[4];
  ET_UNROLL for (int v = 0; v < 4; v++) { low[v] = (v128_t)(vectors[v] & 255); }
  return (et_u8)wasm_u8x16_narrow_i16x8(
      wasm_i16x8_narrow_i32x4(low[0], low[1]),
      wasm_i16x8_narrow_i32x4(low[2], low[3]));
#else
  et_i8_narrow parts[4];
  ET_UNROLL for (int v = 0; v < 4; v++) { parts[v] = et_i8_of_i32(vectors[v]); }
  et_u8 bytes;
  memcpy(&bytes, parts, sizeof(bytes));
  return bytes;
#endif
}
#endif

/* Copies `count` bytes. `max` is a compile-time constant: a power of two above `count`. */
ET_INLINE void et_copy_few(uint8_t *to, const uint8_t *from, size_t count,
                           size_t max) {
  ET_UNROLL for (size_t size = max / 2; size > 0; size /= 2) {
    if ((count & size) != 0) {
      memcpy(to, from, size);
      to += size;
      from += size;
    }
  }
}

#if ET_PACKS_LANES
ET_INLINE et_i16 et_nearest_less(et_f32 a, et_f32 b, et_i16 base) {
  const et_bits both =
      ET_OF_WIDTH(packs_epi32)(ET_OF_WIDTH(cvtps_epi32)((et_numbers)a),
                               ET_OF_WIDTH(cvtps_epi32)((et_numbers)b));
  return (et_i16)ET_OF_WIDTH(subs_epi16)(both, (et_bits)base);
}

/* Rounds four vectors to the nearest integers, ties to even, subtracts `base`, and saturates to [0,
 * 255]. NaN and values beyond int32 become 0. 128-bit lane i of the result has the bytes of 128-bit
 * lane i of each vector in turn. */
ET_INLINE et_u8 et_u8_above(const et_f32 *numbers, et_i16 base) {
  const et_i16 low = et_nearest_less(numbers[0], numbers[1], base);
  const et_i16 high = et_nearest_less(numbers[2], numbers[3], base);
  return (et_u8)ET_OF_WIDTH(packus_epi16)((et_bits)low, (et_bits)high);
}
#endif

#if ET_PACKS_LANES
ET_INLINE et_u8 et_u8_at_most(et_u8 bytes, et_u8 max) {
  return (et_u8)ET_OF_WIDTH(min_epu8)((et_bits)bytes, (et_bits)max);
}
#endif

/* Reorders bytes that are interleaved as in et_u8_above, so that the bytes of each vector are
 * consecutive. */
ET_INLINE et_u8 et_u8_in_order(et_u8 in_turn) {
#if defined(ET_CPU_ISA_AVX512)
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return (et_u8)_mm512_permutexvar_epi32(order, (__m512i)in_turn);
#elif defined(ET_CPU_ISA_AVX2)
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return (et_u8)_mm256_permutevar8x32_epi32((__m256i)in_turn, order);
#else
  return in_turn;
#endif
}

/* Returns bytes 16 * index to 16 * index + 15 of `bytes`. */
ET_INLINE et_panel_bytes et_panel_of(et_u8 bytes, int index) {
#if defined(ET_CPU_ISA_AVX512)
  switch (index) {
    case 0:
      return (et_panel_bytes)_mm512_castsi512_si128((__m512i)bytes);
    case 1:
      return (et_panel_bytes)_mm512_extracti32x4_epi32((__m512i)bytes, 1);
    case 2:
      return (et_panel_bytes)_mm512_extracti32x4_epi32((__m512i)bytes, 2);
    default:
      return (et_panel_bytes)_mm512_extracti32x4_epi32((__m512i)bytes, 3);
  }
#elif defined(ET_CPU_ISA_AVX2)
  return (et_panel_bytes)(index == 0
                              ? _mm256_castsi256_si128((__m256i)bytes)
                              : _mm256_extracti128_si256((__m256i)bytes, 1));
#else
  (void)index;
  return bytes;
#endif
}

/* Maximum number of parts in et_u8_joined. A part has at least 16 bytes. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_U8_MAX_PARTS 4
#elif defined(ET_CPU_ISA_AVX2)
#define ET_U8_MAX_PARTS 2
#else
#define ET_U8_MAX_PARTS 1
#endif

#if ET_PACKS_LANES
ET_INLINE __m128i et_16_bytes(const uint8_t *from) {
  return _mm_loadu_si128((const __m128i *)(const void *)from);
}

ET_INLINE __m256i et_32_bytes(const uint8_t *low, const uint8_t *high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(et_16_bytes(low)),
                                 et_16_bytes(high), 1);
}
#endif

/* Concatenates 1, 2 or 4 parts of equal size. `parts` is a compile-time constant. */
ET_INLINE et_u8 et_u8_joined(const uint8_t *const *from, int parts) {
  et_u8 bytes;
#if defined(ET_CPU_ISA_AVX512)
  if (parts > 1) {
    __m256i halves[2];
    ET_UNROLL for (int i = 0; i < 2; i++) {
      halves[i] =
          parts == 4
              ? et_32_bytes(from[2 * i], from[2 * i + 1])
              : _mm256_loadu_si256((const __m256i *)(const void *)from[i]);
    }
    return (et_u8)_mm512_inserti64x4(_mm512_castsi256_si512(halves[0]),
                                     halves[1], 1);
  }
#elif defined(ET_CPU_ISA_AVX2)
  if (parts == 2) {
    return (et_u8)et_32_bytes(from[0], from[1]);
  }
#else
  (void)parts;
#endif
  memcpy(&bytes, from[0], sizeof(bytes));
  return bytes;
}

#if defined(ET_CPU_ISA_AVX512)
ET_INLINE __m256i et_half_of(et_u8 bytes, int index) {
  return index == 0 ? _mm512_castsi512_si256((__m512i)bytes)
                    : _mm512_extracti64x4_epi64((__m512i)bytes, 1);
}
#endif

/* Stores part `index` of 1, 2 or 4 equal parts. `index` and `parts` are compile-time constants. */
ET_INLINE void et_u8_store_part(uint8_t *to, et_u8 bytes, int index,
                                int parts) {
  if (parts == 1) {
    memcpy(to, &bytes, sizeof(bytes));
#if defined(ET_CPU_ISA_AVX512)
  } else if (parts == 2) {
    _mm256_storeu_si256((__m256i *)(void *)to, et_half_of(bytes, index));
#endif
  } else {
    const et_panel_bytes panel = et_panel_of(bytes, index);
    memcpy(to, &panel, sizeof(panel));
  }
}

/* Interleaves bytes a[i], b[i], c[i], d[i] of four rows as quads. Vector v has quads 4v to 4v + 3
 * of each 128-bit lane of the rows. */
ET_INLINE void et_i8_quads(const et_u8 *rows, et_i8 *quads) {
#if ET_PACKS_LANES
  const et_bits a = (et_bits)rows[0], b = (et_bits)rows[1];
  const et_bits c = (et_bits)rows[2], d = (et_bits)rows[3];
  const et_bits ab_low = ET_OF_WIDTH(unpacklo_epi8)(a, b);
  const et_bits cd_low = ET_OF_WIDTH(unpacklo_epi8)(c, d);
  const et_bits ab_high = ET_OF_WIDTH(unpackhi_epi8)(a, b);
  const et_bits cd_high = ET_OF_WIDTH(unpackhi_epi8)(c, d);
  quads[0] = (et_i8)ET_OF_WIDTH(unpacklo_epi16)(ab_low, cd_low);
  quads[1] = (et_i8)ET_OF_WIDTH(unpackhi_epi16)(ab_low, cd_low);
  quads[2] = (et_i8)ET_OF_WIDTH(unpacklo_epi16)(ab_high, cd_high);
  quads[3] = (et_i8)ET_OF_WIDTH(unpackhi_epi16)(ab_high, cd_high);
#else
#define ET_LOW_BYTES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ET_HIGH_BYTES \
  8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
  const et_i16 ab_low =
      (et_i16)__builtin_shufflevector(rows[0], rows[1], ET_LOW_BYTES);
  const et_i16 cd_low =
      (et_i16)__builtin_shufflevector(rows[2], rows[3], ET_LOW_BYTES);
  const et_i16 ab_high =
      (et_i16)__builtin_shufflevector(rows[0], rows[1], ET_HIGH_BYTES);
  const et_i16 cd_high =
      (et_i16)__builtin_shufflevector(rows[2], rows[3], ET_HIGH_BYTES);
  quads[0] =
      (et_i8)__builtin_shufflevector(ab_low, cd_low, 0, 8, 1, 9, 2, 10, 3, 11);
  quads[1] = (et_i8)__builtin_shufflevector(ab_low, cd_low, 4, 12, 5, 13, 6, 14,
                                            7, 15);
  quads[2] = (et_i8)__builtin_shufflevector(ab_high, cd_high, 0, 8, 1, 9, 2, 10,
                                            3, 11);
  quads[3] = (et_i8)__builtin_shufflevector(ab_high, cd_high, 4, 12, 5, 13, 6,
                                            14, 7, 15);
#undef ET_LOW_BYTES
#undef ET_HIGH_BYTES
#endif
}

/* Quantization parameters: q = clamp(round(value * inverse) + zero_point, low, high). */
typedef struct et_quantizer {
  et_f32 inverse;
  et_f32 low; /* relative to the zero point, like `high` */
  et_f32 high;
  int32_t zero_point;
} et_quantizer;

ET_INLINE et_quantizer et_quantizer_of(const et_cpu_output_quantization *from) {
  const et_quantizer quantizer = {
      et_f32_all(from->inverse),
      et_f32_all((float)(from->low - from->zero_point)),
      et_f32_all((float)(from->high - from->zero_point)), from->zero_point};
  return quantizer;
}

ET_INLINE et_i8_narrow et_i8_quantized(const et_quantizer *q, et_f32 value) {
  const et_f32 clamped = et_f32_clamp(value * q->inverse, q->low, q->high);
  return et_i8_of_i32(et_i32_nearest(clamped, q->zero_point));
}

#endif /* BACKENDS_CPU_MICROKERNELS_SIMD_I8_H_ */
