/* Words of eight codes of 4 bits as bytes that et_i32_dot4 multiplies. */
#ifndef BACKENDS_CPU_SIMD_NIBBLES_H_
#define BACKENDS_CPU_SIMD_NIBBLES_H_

#include "backends/cpu/simd/codes.h"
#include "backends/cpu/simd/simd_i8.h"

/* What bytes are, of a code each: sixteen times as much where that is cheaper, as
 * upper halves of bytes have their signs, and where products cannot saturate. */
#if ET_SUMS_OF_16
#define ET_NIBBLE_UNIT 1
#else
#define ET_NIBBLE_UNIT 16
#endif

/* Words whose products with bytes, added up by et_i16_dot2, fit an int16: 8 * 255
 * of each half of four quads' pairs. */
#define ET_NIBBLE_WORDS 4

/* Codes 0, 2, 4 and 6 of each word, and the four others. */
typedef struct et_nibbles {
  et_i8 even;
  et_i8 odd;
} et_nibbles;

ET_INLINE et_nibbles et_nibbles_of(et_i32 words) {
#if ET_SUMS_OF_16
  const __m256i codes =
      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1,
                       0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i even = _mm256_and_si256((__m256i)words, low);
  const __m256i odd =
      _mm256_and_si256(_mm256_srli_epi16((__m256i)words, 4), low);
  return (et_nibbles){(et_i8)_mm256_shuffle_epi8(codes, even),
                      (et_i8)_mm256_shuffle_epi8(codes, odd)};
#else
  const et_u32 high = (et_u32)et_i32_all((int32_t)0xf0f0f0f0u);
  return (et_nibbles){(et_i8)((et_u32)words << 4 & high),
                      (et_i8)((et_u32)words & high)};
#endif
}

/* Bytes of a row in the order of such codes: eight by eight. */
ET_INLINE void et_nibbles_order(const uint8_t *from, uint8_t *to) {
  typedef uint8_t eight __attribute__((vector_size(8)));
  eight x;
  memcpy(&x, from, sizeof(x));
  x = __builtin_shufflevector(x, x, 0, 2, 4, 6, 1, 3, 5, 7);
  memcpy(to, &x, sizeof(x));
}

#endif /* BACKENDS_CPU_SIMD_NIBBLES_H_ */
