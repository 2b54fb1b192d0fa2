/* Floats of a row as whole numbers of three digits, bytes with signs: as exact as
 * floats of the largest one's size, and products with codes are sums of bytes'. */
#ifndef BACKENDS_CPU_SIMD_DIGITS_H_
#define BACKENDS_CPU_SIMD_DIGITS_H_

#include <float.h>
#include <math.h>

#include "backends/cpu/simd/nibbles.h"
#include "backends/cpu/simd/rows.h"

#define ET_DIGITS 3
/* A number is at most so many units, 127 * 65536 and some: no digit overflows. */
#define ET_DIGITS_MOST 8350000.0f
/* Numbers of groups of none above are zero, nearly: units are no subnormal ones. */
#define ET_DIGITS_LEAST 1e-28f

/* Eight summands' bytes of each digit, the lowest first, in the order of nibbles. */
typedef uint8_t et_word_digits[ET_DIGITS][8];

/* What numbers of a group have in common. */
typedef struct et_group_digits {
  float unit;
  int32_t totals[ET_DIGITS]; /* of each digit */
} et_group_digits;

ET_INLINE et_f32 et_join_size(et_f32 most, et_f32 x, et_f32 p) {
  return et_join_larger(most, et_f32_select(x < 0.0f, -x, x), p);
}

/* The largest size of numbers; NaN if one is none. */
ET_INLINE float et_row_size(const float *x, size_t count) {
  return et_row_reduce(x, count, et_join_size, et_join_larger, 0.0f, 0.0f);
}

/* Rounds half of a unit away from zero. */
ET_INLINE et_i32 et_units_of(et_f32 x, et_f32 inverse) {
  const et_f32 units = x * inverse;
  const et_f32 half =
      et_f32_select(units < 0.0f, et_f32_all(-0.5f), et_f32_all(0.5f));
  return __builtin_convertvector(units + half, et_i32);
}

/* Digits of `count` numbers, whole words. Where one is none, or infinite, the unit is
 * none, and so is what is made of it. */
ET_APART et_group_digits et_put_digits(const float *x, size_t count,
                                       et_word_digits *to) {
  const float most = et_row_size(x, count);
  const float size = most > ET_DIGITS_LEAST ? most : ET_DIGITS_LEAST;
  if (!(most <= FLT_MAX)) {
    memset(to, 0, count / 8 * sizeof(*to));
    return (et_group_digits){.unit = NAN};
  }
  const et_f32 inverse = et_f32_all(ET_DIGITS_MOST / size);
  et_i32 totals[ET_DIGITS] = {{0}};
  uint8_t bytes[ET_DIGITS][16];
  et_group_digits group = {.unit = size / ET_DIGITS_MOST};
  for (size_t k = 0; k < count; k += ET_CPU_LANES) {
    const size_t left = count - k;
    et_i32 units =
        et_units_of(left < ET_CPU_LANES ? et_f32_load_some(x + k, left)
                                        : et_f32_load(x + k),
                    inverse);
    ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
      const et_i32 digit = units << 24 >> 24;
      const et_i8_narrow low = et_i8_of_i32(digit);
      memcpy(bytes[d] + k % 8, &low, sizeof(low));
      totals[d] += digit;
      units = (units - digit) >> 8;
    }
    for (size_t i = 0; i < ET_CPU_LANES && i < left; i += 8) {
      if (ET_CPU_LANES >= 8 || k % 8 != 0) {
        ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
          et_nibbles_order(bytes[d] + i, to[(k + i) / 8][d]);
        }
      }
    }
  }
  ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
    group.totals[d] = et_i32_total(totals[d]);
  }
  return group;
}

#endif /* BACKENDS_CPU_SIMD_DIGITS_H_ */
