/* Unpacks words of eight 4-bit weights to int8 for et_i32_dot4. */
#ifndef BACKENDS_CPU_MICROKERNELS_INT4_H_
#define BACKENDS_CPU_MICROKERNELS_INT4_H_

#include "backends/cpu/microkernels/low_bit_values.h"
#include "backends/cpu/microkernels/simd_i8.h"

/* Maximum number of int4 words per int16 accumulator. et_i16_dot2 multiplies them by int8 elements
 * without overflow: 4 words * 2 quads * 2 * 15 * 128 < 2^15. */
#define ET_NIBBLE_WORDS 4

/* Weights 0, 2, 4 and 6 of each word, and weights 1, 3, 5 and 7. Each has an offset of 8. */
typedef struct et_nibbles {
  et_i8 even;
  et_i8 odd;
} et_nibbles;

ET_INLINE et_nibbles et_nibbles_of(et_i32 words) {
  const et_u32 low = (et_u32)et_i32_all(0x0f0f0f0f);
#if defined(ET_CPU_ISA_AVX512)
  const et_u32 top = (et_u32)et_i32_all(0x08080808);
  const et_u32 w = (et_u32)words;
  return (et_nibbles){(et_i8)((w & low) ^ top), (et_i8)((w >> 4 & low) ^ top)};
#else
  const et_u32 weights = et_unsigned_weights(words, 4);
  return (et_nibbles){(et_i8)(weights & low), (et_i8)(weights >> 4 & low)};
#endif
}

/* Reorders eight bytes of a row to match the order of et_nibbles. */
ET_INLINE void et_nibbles_order(const uint8_t *from, uint8_t *to) {
  typedef uint8_t eight __attribute__((vector_size(8)));
  eight x;
  memcpy(&x, from, sizeof(x));
  x = __builtin_shufflevector(x, x, 0, 2, 4, 6, 1, 3, 5, 7);
  memcpy(to, &x, sizeof(x));
}

#endif /* BACKENDS_CPU_MICROKERNELS_INT4_H_ */
