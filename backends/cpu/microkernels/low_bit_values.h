/* Unpacks words of 4-bit or 8-bit weights to float32. */
#ifndef BACKENDS_CPU_MICROKERNELS_LOW_BIT_VALUES_H_
#define BACKENDS_CPU_MICROKERNELS_LOW_BIT_VALUES_H_

#include "backends/cpu/microkernels/simd.h"

typedef int32_t et_words_loose
    __attribute__((vector_size(4 * ET_CPU_LANES), aligned(4), may_alias));

ET_INLINE et_i32 et_words_load(const int32_t *from) {
  return *(const et_words_loose *)from;
}

/* Returns weight `j` of each word. Weights are signed and `bits` wide; weight 0 is in the lowest
 * bits. */
ET_INLINE et_f32 et_weight_f32(et_i32 words, int j, int bits) {
#if defined(ET_CPU_ISA_AVX512)
  if (bits == 4) { /* the permutation uses only the low four bits of an index */
    const __m512 values =
        _mm512_setr_ps(0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, -8.0f,
                       -7.0f, -6.0f, -5.0f, -4.0f, -3.0f, -2.0f, -1.0f);
    return (et_f32)_mm512_permutexvar_ps(
        _mm512_srli_epi32((__m512i)words, (unsigned)(4 * j)), values);
  }
#endif
  const et_u32 top = (et_u32)words << (32 - bits - bits * j);
  return __builtin_convertvector((et_i32)top >> (32 - bits), et_f32);
}

/* Adds an offset of 2^(bits - 1) to each weight, which makes weights unsigned. */
ET_INLINE et_u32 et_unsigned_weights(et_i32 words, int bits) {
  const uint32_t tops = bits == 4 ? 0x88888888u : 0x80808080u;
  return (et_u32)words ^ tops;
}

/* Returns weight `j` of each word of et_unsigned_weights, times et_weight_unit(j, bits). A mask
 * extracts the weight without a shift. The last weight is shifted down, because the conversion is
 * signed. */
ET_INLINE et_f32 et_weight_in_place(et_u32 words, int j, int bits) {
  const uint32_t all = (1u << bits) - 1u;
  const et_u32 code =
      (j + 1) * bits == 32 ? words >> (32 - bits) : words & (all << (bits * j));
  return __builtin_convertvector((et_i32)code, et_f32);
}

ET_INLINE float et_weight_unit(size_t j, size_t bits) {
  return (j + 1) * bits == 32 ? 1.0f : (float)(1u << (bits * j));
}

#endif /* BACKENDS_CPU_MICROKERNELS_LOW_BIT_VALUES_H_ */
