#include "runtime/replay/element.h"

#include <math.h>
#include <string.h>

/* IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
static double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  double magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
  } else if (exponent == 0) {
    magnitude = ldexp(fraction, -24);
  } else {
    magnitude = ldexp(fraction + 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/* bfloat16: the upper 16 bits of a float32. */
static double bfloat16_to_double(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value = 0;
  memcpy(&value, &wide, sizeof value);
  return value;
}

#define CASE_CONVERT(NAME, type, convert) \
  case ET_SCALAR_TYPE_##NAME: {           \
    type value;                           \
    memcpy(&value, data, sizeof value);   \
    return convert(value);                \
  }

double et_element_load(et_scalar_type dtype, const void *data) {
  switch (dtype) {
    CASE_CONVERT(UINT8, uint8_t, (double))
    CASE_CONVERT(INT8, int8_t, (double))
    CASE_CONVERT(INT16, int16_t, (double))
    CASE_CONVERT(INT32, int32_t, (double))
    CASE_CONVERT(INT64, int64_t, (double))
    CASE_CONVERT(FLOAT16, uint16_t, half_to_double)
    CASE_CONVERT(FLOAT32, float, (double))
    CASE_CONVERT(FLOAT64, double, (double))
    CASE_CONVERT(COMPLEX64, float, (double))
    CASE_CONVERT(COMPLEX128, double, (double))
    CASE_CONVERT(BOOL, uint8_t, 0 !=)
    CASE_CONVERT(BFLOAT16, uint16_t, bfloat16_to_double)
    CASE_CONVERT(UINT16, uint16_t, (double))
    CASE_CONVERT(UINT32, uint32_t, (double))
    CASE_CONVERT(UINT64, uint64_t, (double))
  }
  return (double)NAN;
}
