/* Implements et_cpu_lut_qs8 of qs8.h: y[i] = table[x[i]], with a table of 256 bytes.
 *
 * x and y are dense rows. The tile is 64 elements with AVX-512, whose four registers hold the
 * table, and 32 elements with AVX2, which looks up 16 entries per shuffle. Shuffles are the
 * bottleneck. Other instruction sets load one entry at a time. */
#include "backends/cpu/microkernels/qs8.h"

#include "backends/cpu/microkernels/simd.h"

#if defined(ET_CPU_ISA_AVX512)
#define WORDS 32 /* 16-bit words of a vector */
#define BYTES (2 * WORDS)

/* The table as 16-bit words. One instruction looks up 32 elements in 64 words. */
typedef struct words {
  __m512i parts[ET_CPU_LUT_ENTRIES / BYTES];
} words;

/* Looks up 16-bit elements from 0 to 255. The low byte of each result is the entry. Bit 0 of an
 * element selects the byte of a word, bit 7 the half of the table. */
ET_INLINE __m512i looked_up(const words *w, __m512i x) {
  const __m512i word = _mm512_srli_epi16(x, 1);
  const __m512i low = _mm512_permutex2var_epi16(w->parts[0], word, w->parts[1]);
  const __m512i high =
      _mm512_permutex2var_epi16(w->parts[2], word, w->parts[3]);
  const __mmask32 is_high =
      _mm512_test_epi16_mask(x, _mm512_set1_epi16(ET_CPU_LUT_ENTRIES / 2));
  const __m512i odd =
      _mm512_slli_epi16(_mm512_and_si512(x, _mm512_set1_epi16(1)), 3);
  return _mm512_srlv_epi16(_mm512_mask_blend_epi16(is_high, low, high), odd);
}

ET_INLINE size_t look_up_vectors(const uint8_t *table, const uint8_t *x,
                                 uint8_t *y, size_t count) {
  const __m512i lower = _mm512_set1_epi16(255);
  words w;
  memcpy(&w, table, sizeof(w));
  size_t i = 0;
  for (; i + BYTES <= count; i += BYTES) {
    const __m512i bytes = _mm512_loadu_si512(x + i);
    const __m512i even = looked_up(&w, _mm512_and_si512(bytes, lower));
    const __m512i odd = looked_up(&w, _mm512_srli_epi16(bytes, 8));
    _mm512_storeu_si512(y + i, _mm512_or_si512(_mm512_and_si512(even, lower),
                                               _mm512_slli_epi16(odd, 8)));
  }
  return i;
}
#elif defined(ET_CPU_ISA_AVX2)
#define BYTES 32
#define ENTRIES 16 /* number of entries that one instruction can index */
#define PARTS (ET_CPU_LUT_ENTRIES / ENTRIES)

/* Splits the table into parts of 16 entries and broadcasts each to both halves of a vector. Each
 * part is XORed with the part before it, except for the first part of each half of the table. The
 * entry of an element is the XOR of all parts up to the one that contains it. */
ET_INLINE void take_apart(const uint8_t *table, __m256i *parts) {
  for (size_t i = 0; i < PARTS; i++) {
    const uint8_t *entries = table + ENTRIES * i;
    __m128i part = _mm_loadu_si128((const void *)entries);
    if (i % (PARTS / 2) != 0) {
      part = _mm_xor_si128(part,
                           _mm_loadu_si128((const void *)(entries - ENTRIES)));
    }
    parts[i] = _mm256_broadcastsi128_si256(part);
  }
}

/* Looks up elements below 128 in one half of the table; other elements yield 0. Each step subtracts
 * 16. After the part that contains an element, its sign bit is set, and the byte shuffle returns
 * 0. */
ET_INLINE __m256i looked_up(const __m256i *parts, __m256i x) {
  __m256i found = _mm256_shuffle_epi8(parts[0], x);
  ET_UNROLL
  for (size_t i = 1; i < PARTS / 2; i++) {
    x = _mm256_subs_epi8(x, _mm256_set1_epi8(ENTRIES));
    found = _mm256_xor_si256(found, _mm256_shuffle_epi8(parts[i], x));
  }
  return found;
}

ET_INLINE size_t look_up_vectors(const uint8_t *table, const uint8_t *x,
                                 uint8_t *y, size_t count) {
  const __m256i highest = _mm256_set1_epi8(INT8_MIN);
  __m256i parts[PARTS];
  take_apart(table, parts);
  size_t i = 0;
  for (; i + BYTES <= count; i += BYTES) {
    const __m256i bytes = _mm256_loadu_si256((const void *)(x + i));
    const __m256i low = looked_up(parts, bytes);
    const __m256i high =
        looked_up(parts + PARTS / 2, _mm256_xor_si256(bytes, highest));
    _mm256_storeu_si256((void *)(y + i), _mm256_xor_si256(low, high));
  }
  return i;
}
#else
/* Other instruction sets look up elements one by one. */
ET_INLINE size_t look_up_vectors(const uint8_t *table, const uint8_t *x,
                                 uint8_t *y, size_t count) {
  (void)table;
  (void)x;
  (void)y;
  (void)count;
  return 0;
}
#endif

void ET_CPU_NAME(et_cpu_lut_qs8)(const uint8_t *table, const uint8_t *x,
                                 uint8_t *y, size_t count) {
  for (size_t i = look_up_vectors(table, x, y, count); i < count; i++) {
    y[i] = table[x[i]];
  }
}
