/* Fixed-point form of float32 elements: 24-bit integers of three int8 digits each.
 *
 * The unit of a group of elements is proportional to their maximum. The rounding error of each
 * element is at most that of a float32 as large as the maximum. Each digit is multiplied by 4-bit
 * weights in an int8 dot product. */
#ifndef BACKENDS_CPU_MICROKERNELS_DIGITS_H_
#define BACKENDS_CPU_MICROKERNELS_DIGITS_H_

#include <float.h>
#include <math.h>

#include "backends/cpu/microkernels/int4.h"
#include "backends/cpu/microkernels/rows.h"

#define ET_DIGITS 3
/* Maximum number of elements that share a unit. The sum of their products with 4-bit weights, -8 to
 * 7, fits in int32. */
#define ET_DIGITS_GROUP 32
/* Integer that represents the maximum of a group. It is low enough that no digit overflows. */
#define ET_DIGITS_MAX 8350000.0f
/* Lower bound of the maximum from which a unit is derived. It prevents subnormal units. */
#define ET_DIGITS_MIN_MAX 1e-28f

/* Digits of eight elements, lowest digit first, in the order of et_nibbles. The last eight bytes
 * are not used. */
typedef uint8_t et_word_digits[ET_DIGITS + 1][8];

/* Unit (scale) of a group of fixed-point elements, and the correction for the weight offset. */
typedef struct et_group_digits {
  float unit;
  /* -8 times the sum of the integers, because weights have an offset of 8. */
  int32_t off;
} et_group_digits;

/* Bytes of four 24-bit integers, sorted by digit, lowest first. For each digit, elements 0 and 2
 * come before 1 and 3. */
typedef uint8_t et_four_digits __attribute__((vector_size(16)));

ET_INLINE et_four_digits et_four_digits_of(const int32_t *units) {
  et_four_digits x;
  memcpy(&x, units, sizeof(x));
  return __builtin_shufflevector(x, x, 0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14,
                                 3, 11, 7, 15);
}

ET_INLINE void et_put_word(const int32_t *units, et_word_digits *to) {
  typedef uint16_t pairs __attribute__((vector_size(16)));
  const pairs first = (pairs)et_four_digits_of(units);
  const pairs second = (pairs)et_four_digits_of(units + 4);
  const pairs low =
      __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
  const pairs high =
      __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15);
  memcpy(*to, &low, sizeof(low));
  memcpy(*to + 2, &high, sizeof(high));
}

/* Returns the largest lane as a float. The lanes are the bits of absolute values, so NaN is larger
 * than infinity, which is larger than any finite value. */
ET_INLINE float et_largest_size(et_i32 bits) {
  ET_UNROLL for (int half = ET_CPU_LANES / 2; half > 0; half /= 2) {
    const et_i32 other = (et_i32)et_f32_upper((et_f32)bits, half);
    bits = (et_i32)et_f32_select(bits > other, (et_f32)bits, (et_f32)other);
  }
  float size;
  memcpy(&size, &bits, sizeof(size));
  return size;
}

/* Converts to integer multiples of the unit, rounding half away from zero. */
ET_INLINE et_i32 et_units_of(et_f32 x, et_f32 inverse) {
  const et_f32 units = x * inverse;
  const et_i32 sign = (et_i32)units & INT32_MIN;
  const et_f32 half = (et_f32)(sign | (et_i32)et_f32_all(0.5f));
  return __builtin_convertvector(units + half, et_i32);
}

#define ET_DIGITS_VECTORS (ET_DIGITS_GROUP / ET_CPU_LANES)

/* Writes the digits of `count` elements. `count` is a multiple of 8 and at most ET_DIGITS_GROUP.
 * If an element is infinite or NaN, the unit is NaN, and so are all results that use it. */
ET_INLINE et_group_digits et_put_digits(const float *x, size_t count,
                                        et_word_digits *to) {
  et_f32 numbers[ET_DIGITS_VECTORS];
  et_i32 sizes = {0};
  ET_UNROLL for (size_t v = 0; v < ET_DIGITS_VECTORS; v++) {
    const size_t at = v * ET_CPU_LANES;
    const size_t left = count > at ? count - at : 0;
    numbers[v] = left < ET_CPU_LANES ? et_f32_load_some(x + at, left)
                                     : et_f32_load(x + at);
    const et_i32 size = (et_i32)numbers[v] & INT32_MAX;
    sizes = (et_i32)et_f32_select(size > sizes, (et_f32)size, (et_f32)sizes);
  }
  const float max = et_largest_size(sizes);
  const float size = max > ET_DIGITS_MIN_MAX ? max : ET_DIGITS_MIN_MAX;
  if (!(max <= FLT_MAX)) {
    memset(to, 0, count / 8 * sizeof(*to));
    return (et_group_digits){.unit = NAN};
  }
  const et_f32 inverse = et_f32_all(ET_DIGITS_MAX / size);
  int32_t units[ET_DIGITS_GROUP];
  et_i32 total = {0};
  ET_UNROLL for (size_t v = 0; v < ET_DIGITS_VECTORS; v++) {
    const et_i32 whole = et_units_of(numbers[v], inverse);
    /* Byte i of whole + 0x808080 is digit i plus 128. The XOR removes this offset. */
    const et_i32 bytes = (whole + 0x808080) ^ 0x808080;
    memcpy(units + v * ET_CPU_LANES, &bytes, sizeof(bytes));
    total += whole;
  }
  for (size_t k = 0; k < count; k += 8) {
    et_put_word(units + k, to + k / 8);
  }
  return (et_group_digits){size / ET_DIGITS_MAX, -8 * et_i32_total(total)};
}

#endif /* BACKENDS_CPU_MICROKERNELS_DIGITS_H_ */
