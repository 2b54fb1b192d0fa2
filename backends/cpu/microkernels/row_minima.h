/* Subtracts from each element of packed rows its minimum over all rows. The differences are often
 * so small that their products with any weights can be added in int16, which is faster than
 * widening (AVX2). */
#ifndef BACKENDS_CPU_MICROKERNELS_ROW_MINIMA_H_
#define BACKENDS_CPU_MICROKERNELS_ROW_MINIMA_H_

#include "backends/cpu/microkernels/tile_i8.h"

#if ET_SUMS_OF_16

/* Limit of the mean range of the elements. The range of an element is its maximum minus its minimum
 * over a sample of at most twelve rows of a block. */
#define ET_I8_MAX_MEAN_RANGE 84

ET_INLINE void et_put_16_bytes(uint8_t *to, __m128i bytes) {
  _mm_storeu_si128((__m128i *)(void *)to, bytes);
}

/* Minima and maxima of 16 elements over several rows. */
typedef struct et_bounds_i8 {
  __m128i low;
  __m128i high;
} et_bounds_i8;

ET_INLINE et_bounds_i8 et_bounds_of_i8(const uint8_t *rows, size_t count,
                                       size_t stride) {
  et_bounds_i8 found = {et_16_bytes(rows), et_16_bytes(rows)};
  for (size_t r = 1; r < count; r++) {
    const __m128i x = et_16_bytes(rows + r * stride);
    found.low = _mm_min_epu8(found.low, x);
    found.high = _mm_max_epu8(found.high, x);
  }
  return found;
}

/* Subtracts the minima from elements `at` to `at + 15` of rows of `size` bytes. Bytes after the end
 * of a row do not change. */
ET_INLINE void et_subtract_minima_from_i8(uint8_t *rows, size_t count,
                                          size_t size, size_t at,
                                          uint8_t *minima, uint8_t *spans) {
  const size_t left = size - at;
  const et_bounds_i8 found = et_bounds_of_i8(rows + at, count, size);
  et_put_16_bytes(spans + at, _mm_sub_epi8(found.high, found.low));
  et_put_16_bytes(minima + at, found.low);
  if (left < ET_I8_STEP) {
    memset(minima + size, 0, ET_I8_STEP - left);
  }
  const __m128i low = et_16_bytes(minima + at);
  for (size_t r = 0; r < count; r++) {
    uint8_t *row = rows + r * size + at;
    et_put_16_bytes(row, _mm_sub_epi8(et_16_bytes(row), low));
  }
}

/* Returns whether the mean range of the elements, over a sample of the rows, is below the limit.
 * With wider ranges, products rarely fit in int16. */
static bool et_has_small_ranges_i8(const uint8_t *rows, size_t count,
                                   size_t size) {
  const size_t apart = 8;
  __m128i total = _mm_setzero_si128();
  for (size_t at = 0; at + ET_I8_STEP <= size; at += ET_I8_STEP) {
    const et_bounds_i8 found =
        et_bounds_of_i8(rows + at, (count + apart - 1) / apart, apart * size);
    const __m128i spans = _mm_sub_epi8(found.high, found.low);
    total = _mm_add_epi64(total, _mm_sad_epu8(spans, _mm_setzero_si128()));
  }
  const int64_t sum = _mm_cvtsi128_si64(total) + _mm_extract_epi64(total, 1);
  return (size_t)sum < ET_I8_MAX_MEAN_RANGE * (size / ET_I8_STEP * ET_I8_STEP);
}

/* Lists the quads that have an element with a range above 127. Pairs of products of all other quads
 * fit in int16 for any weights. */
static size_t et_list_far_i8(const uint8_t *spans, size_t quads,
                             uint16_t *far) {
  size_t count = 0;
  for (size_t k = 0; k < quads; k++) {
    uint32_t word;
    memcpy(&word, spans + 4 * k, sizeof(word));
    if ((word & 0x80808080u) != 0) {
      far[count++] = (uint16_t)k;
    }
  }
  return count;
}

/* Subtracts the minima from all rows. `minima` has space for a row and ET_I8_STEP more bytes. */
static void et_subtract_minima_i8(et_packed_i8 *packed, uint8_t *rows,
                                  uint8_t *minima) {
  const size_t size = 4 * packed->depth;
  for (size_t at = 0; at < size; at += ET_I8_STEP) {
    et_subtract_minima_from_i8(rows, packed->rows, size, at, minima,
                               packed->spans);
  }
  packed->far_count = et_list_far_i8(packed->spans, packed->depth, packed->far);
}

/* Returns a mask of the lanes in which the sums of products of ranges and weights of one sign do
 * not fit in int16. */
ET_INLINE et_i16 et_beyond_int16(et_i8 spans, et_i8 weights) {
  const et_i16 none = {0};
  const et_i16 up = et_i16_dot2(none, spans, weights & (weights > 0));
  const et_i16 down = et_i16_dot2(none, spans, weights & (weights < 0));
  return (up == INT16_MAX) | (down == INT16_MIN);
}

/* Returns whether the products of all rows with a panel fit in int16. */
static bool et_fits_int16_i8(const et_packed_i8 *packed, const int8_t *panel) {
  et_i16 beyond = {0};
  for (size_t i = 0; i < packed->far_count; i++) {
    const size_t k = packed->far[i];
    int32_t word;
    memcpy(&word, packed->spans + 4 * k, sizeof(word));
    const et_i8 spans = (et_i8)et_i32_all(word);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      beyond |= et_beyond_int16(spans, et_i8_load(panel + 4 * ET_CPU_PANEL * k +
                                                  4 * ET_CPU_LANES * v));
    }
  }
  return !et_i32_any((et_i32)beyond);
}

#endif

#endif /* BACKENDS_CPU_MICROKERNELS_ROW_MINIMA_H_ */
