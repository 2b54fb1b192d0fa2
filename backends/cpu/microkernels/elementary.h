/* Additional elementary functions of float32 vectors: logarithm, rounding, and functions that the C
 * library computes lane by lane. */
#ifndef BACKENDS_CPU_MICROKERNELS_ELEMENTARY_H_
#define BACKENDS_CPU_MICROKERNELS_ELEMENTARY_H_

#include <math.h>

#include "backends/cpu/microkernels/functions.h"

/* 2^23. Every float of at least this magnitude is an integer. */
#define ET_F32_WHOLE 8388608.0f

/* Returns `whole` with the sign of x, so that zeros keep their sign. Returns x if it is large or
 * NaN. */
ET_INLINE et_f32 et_f32_rounded(et_f32 x, et_f32 whole) {
  const et_i32 small = et_f32_abs(x) < et_f32_all(ET_F32_WHOLE);
  return et_f32_select(small, et_f32_copysign(whole, x), x);
}

/* Rounds toward 0. The result is unspecified if x is large. */
ET_INLINE et_f32 et_f32_truncated(et_f32 x) {
  const et_i32 small = et_f32_abs(x) < et_f32_all(ET_F32_WHOLE);
  const et_f32 safe = et_f32_select(small, x, et_f32_all(0.0f));
  return __builtin_convertvector(__builtin_convertvector(safe, et_i32), et_f32);
}

ET_INLINE et_f32 et_f32_floor(et_f32 x) {
  const et_f32 near = et_f32_truncated(x);
  const et_f32 lower = near - et_f32_all(1.0f);
  return et_f32_rounded(x, et_f32_select(near > x, lower, near));
}

ET_INLINE et_f32 et_f32_ceil(et_f32 x) { return -et_f32_floor(-x); }

/* Rounds to nearest, ties to even. */
ET_INLINE et_f32 et_f32_round(et_f32 x) {
  const et_f32 shift = et_f32_copysign(et_f32_all(ET_F32_WHOLE), x);
  return et_f32_rounded(x, (x + shift) - shift);
}

/* Returns ln x for positive normal x. x = 2^e m with m between sqrt(1/2) and sqrt(2). With f = m -
 * 1, ln m = f - f^2 / 2 + f^3 p(f). The minimax fit of p has a relative error of at most 6e-9 in ln
 * m (weighted least squares over 4000 Chebyshev nodes; weights grow where the error is large). ln 2
 * is the sum of two constants; the product of e and the first constant is exact. */
ET_INLINE et_f32 et_f32_log_normal(et_f32 x, et_f32 more) {
  static const float c[] = {-0.0763447359f, 0.127615675f,  -0.13160187f,
                            0.142017588f,   -0.166233569f, 0.200012267f,
                            -0.250008196f,  0.333333313f};
  const int32_t root = 0x3f3504f3; /* sqrt(1/2) */
  const et_i32 bits = (et_i32)x - root;
  const et_i32 exponent = bits >> 23;
  const et_f32 f = (et_f32)((bits & 0x7fffff) + root) - et_f32_all(1.0f);
  const et_f32 e = __builtin_convertvector(exponent, et_f32) + more;
  const et_f32 square = f * f;
  et_f32 sum = et_f32_polynomial(f, c, 8) * square * f;
  sum = et_f32_fma(e, et_f32_all(1.42860677e-6f), sum);
  sum = et_f32_fma(square, et_f32_all(-0.5f), sum) + f;
  return et_f32_fma(e, et_f32_all(0.693145752f), sum);
}

/* Returns ln x: -inf for 0, NaN for negative x. Subnormal values are scaled up first. */
ET_INLINE et_f32 et_f32_log(et_f32 x) {
  const et_f32 zero = et_f32_all(0.0f);
  const et_f32 normal = et_f32_all(1.17549435e-38f);
  const et_i32 denormal = x < normal;
  const et_f32 scaled = et_f32_at_least(
      et_f32_select(denormal, x * et_f32_all(ET_F32_WHOLE), x), normal);
  const et_f32 more = et_f32_select(denormal, et_f32_all(-23.0f), zero);
  const et_f32 infinite = et_f32_all(__builtin_inff());
  const et_f32 some = et_f32_log_normal(scaled, more);
  /* ln x is x if x is infinity or NaN. */
  const et_f32 max = et_f32_select(x < infinite, some, x);
  const et_f32 min = et_f32_select(x == zero, -infinite, max);
  return et_f32_select(x < zero, et_f32_all(__builtin_nanf("")), min);
}

/* Applies a function of the C library to each lane. */
ET_INLINE et_f32 et_f32_apply(float (*function)(float), et_f32 x) {
  for (int i = 0; i < ET_CPU_LANES; i++) {
    x[i] = function(x[i]);
  }
  return x;
}

ET_INLINE et_f32 et_f32_pow(et_f32 x, et_f32 y) {
  for (int i = 0; i < ET_CPU_LANES; i++) {
    x[i] = powf(x[i], y[i]);
  }
  return x;
}

#endif /* BACKENDS_CPU_MICROKERNELS_ELEMENTARY_H_ */
