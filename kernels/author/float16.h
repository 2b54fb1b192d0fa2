/* Conversion between float32 and float16 or bfloat16, rounding to nearest
 * even. */
#ifndef ET_KERNELS_AUTHOR_FLOAT16_H_
#define ET_KERNELS_AUTHOR_FLOAT16_H_

#include <stdint.h>
#include <string.h>

static inline uint32_t et_float_bits(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static inline float et_float_from_bits(uint32_t bits) {
  float value = 0.0f;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static inline float et_bfloat16_to_float(uint16_t bits) {
  return et_float_from_bits((uint32_t)bits << 16);
}

static inline uint16_t et_float_to_bfloat16(float value) {
  const uint32_t bits = et_float_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return 0x7fc0; /* rounding could turn a NaN into infinity */
  }
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

static inline float et_float16_to_float(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) { /* infinity, NaN */
    return et_float_from_bits(sign | 0x7f800000u | (magnitude << 13));
  }
  if (magnitude >= 0x0400u) { /* normal: the exponent bias changes from 15 to
                               * 127 */
    return et_float_from_bits(sign | ((magnitude << 13) + (112u << 23)));
  }
  const float subnormal = (float)magnitude * 0x1p-24f;
  return et_float_from_bits(sign | et_float_bits(subnormal));
}

static inline uint16_t et_float_to_float16(float value) {
  const uint32_t bits = et_float_bits(value);
  const uint16_t sign = (uint16_t)((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return (uint16_t)(sign | 0x7e00u);
  }
  if (magnitude >= 0x477ff000u) { /* 65520 and above round to infinity */
    return (uint16_t)(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) {
    /* Below 2^-14, float16 values are 2^-24 apart, like floats in [0.5, 1).
     * Adding 0.5 therefore rounds to that spacing. */
    const float rounded = et_float_from_bits(magnitude) + 0.5f;
    return (uint16_t)(sign | (et_float_bits(rounded) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfffu + odd) >> 13));
}

#endif /* ET_KERNELS_AUTHOR_FLOAT16_H_ */
