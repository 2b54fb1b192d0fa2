/* Elementary functions of float32 vectors, accurate to a few units in the last place. Results are
 * bit-identical across instruction sets with fused multiply-add (FMA). The polynomials are minimax
 * fits (iterated least squares over Chebyshev nodes). */
#ifndef BACKENDS_CPU_MICROKERNELS_FUNCTIONS_H_
#define BACKENDS_CPU_MICROKERNELS_FUNCTIONS_H_

#include "backends/cpu/microkernels/simd.h"

ET_INLINE et_f32 et_f32_abs(et_f32 x) {
  return (et_f32)((et_i32)x & 0x7fffffff);
}

/* Returns `magnitude` with the sign of `sign`. */
ET_INLINE et_f32 et_f32_copysign(et_f32 magnitude, et_f32 sign) {
  const et_i32 mask = (et_i32)et_f32_all(-0.0f);
  return (et_f32)(((et_i32)magnitude & ~mask) | ((et_i32)sign & mask));
}

/* Returns coefficients[0] * x^(count - 1) + ... + coefficients[count - 1]. */
ET_INLINE et_f32 et_f32_polynomial(et_f32 x, const float *coefficients,
                                   int count) {
  et_f32 sum = et_f32_all(coefficients[0]);
  ET_UNROLL for (int i = 1; i < count; i++) {
    sum = et_f32_fma(sum, x, et_f32_all(coefficients[i]));
  }
  return sum;
}

/* 1.5 * 2^23. Adding it to a value below 2^22 in magnitude rounds the value to an integer. The low
 * bits of the sum are this integer. */
#define ET_F32_ROUNDER 12582912.0f

/* Returns e^r - 1 for |r| <= ln 2 / 2. */
ET_INLINE et_f32 et_f32_expm1_near(et_f32 r) {
  static const float c[] = {1.38146126e-3f, 8.36870988e-3f, 4.16683874e-2f,
                            1.66665207e-1f, 4.99999935e-1f};
  return et_f32_fma(et_f32_polynomial(r, c, 5), r * r, r);
}

/* Returns e^x; 0 where the result would be subnormal. x = n ln 2 + r with an integer n. ln 2 is the
 * sum of two constants; the product of n and the first constant is exact. */
ET_INLINE et_f32 et_f32_exp(et_f32 x) {
  const et_f32 low = et_f32_all(-87.33654f);
  const et_f32 high = et_f32_all(88.72283f);
  const et_f32 y = et_f32_clamp(x, low, high);
  const et_f32 shifted =
      et_f32_fma(y, et_f32_all(1.44269504f), et_f32_all(ET_F32_ROUNDER));
  const et_f32 n = shifted - et_f32_all(ET_F32_ROUNDER);
  et_f32 r = et_f32_fma(n, et_f32_all(-0.693145752f), y);
  r = et_f32_fma(n, et_f32_all(-1.42860677e-6f), r);
  const et_f32 p = et_f32_expm1_near(r) + et_f32_all(1.0f);
  /* 2^n is the product of two factors: n may be 128, and 2^128 is not a float. */
  const et_f32 half = (et_f32)(((et_u32)shifted << 23) + (126u << 23));
  const et_f32 result = p * half * et_f32_all(2.0f);
  const et_f32 rest =
      et_f32_select(x > high, et_f32_all(__builtin_inff()), result);
  return et_f32_select(x < low, et_f32_all(0.0f), rest);
}

/* Returns e^x for x <= 0, with fewer operations than et_f32_exp; NaN for NaN. ln 2 is a single
 * constant, so the result has a relative error of 2e-9 |n|. The error is significant only where e^x
 * is below 1e-13. For x <= -88, n is -127, and the bits of 2^n are those of 0. */
ET_INLINE et_f32 et_f32_exp_negative(et_f32 x) {
  const et_f32 y = et_f32_at_least(x, et_f32_all(-88.0f));
  const et_f32 shifted =
      et_f32_fma(y, et_f32_all(1.44269504f), et_f32_all(ET_F32_ROUNDER));
  const et_f32 n = shifted - et_f32_all(ET_F32_ROUNDER);
  const et_f32 r = et_f32_fma(n, et_f32_all(-0.693147182f), y);
  const et_f32 p = et_f32_expm1_near(r) + et_f32_all(1.0f);
  return p * (et_f32)(((et_u32)shifted << 23) + (127u << 23));
}

/* Returns e^x - 1, accurate even near 0. */
ET_INLINE et_f32 et_f32_expm1(et_f32 x) {
  const et_i32 near = et_f32_abs(x) < et_f32_all(0.34657359f);
  return et_f32_select(near, et_f32_expm1_near(x),
                       et_f32_exp(x) - et_f32_all(1.0f));
}

ET_INLINE et_f32 et_f32_sigmoid(et_f32 x) {
  const et_f32 one = et_f32_all(1.0f);
  return one / (one + et_f32_exp(-x));
}

/* Returns tanh x. Near 0, an odd polynomial avoids the cancellation in the quotient. */
ET_INLINE et_f32 et_f32_tanh(et_f32 x) {
  static const float c[] = {-5.66078716e-3f, 2.06020059e-2f, -5.37292294e-2f,
                            1.3331329e-1f, -3.33332783e-1f};
  const et_f32 one = et_f32_all(1.0f);
  const et_f32 a = et_f32_abs(x);
  const et_f32 e = et_f32_exp(et_f32_all(-2.0f) * a);
  const et_f32 far = (one - e) / (one + e);
  const et_f32 z = x * x;
  const et_f32 near = et_f32_fma(et_f32_polynomial(z, c, 5) * z, a, a);
  const et_i32 is_near = a < et_f32_all(0.625f);
  return et_f32_copysign(et_f32_select(is_near, near, far), x);
}

/* Returns erf x. For a = |x| < 1, the result is an odd polynomial. For larger a, it is 1 - e^p(a),
 * in which the exponential is small and need not be precise. */
ET_INLINE et_f32 et_f32_erf(et_f32 x) {
  static const float near_c[] = {
      7.88912224e-5f, -8.02084209e-4f, 5.18953543e-3f, -2.68544446e-2f,
      1.12836002e-1f, -3.76126271e-1f, 1.28379166e-1f};
  static const float far_c[] = {1.85574217e-4f,  -2.93960928e-3f, 2.1805326e-2f,
                                -1.03037384e-1f, -6.3822566e-1f,  -1.12704005f,
                                -3.53717013e-4f};
  const et_f32 one = et_f32_all(1.0f);
  const et_f32 a = et_f32_abs(x);
  const et_f32 near = et_f32_fma(et_f32_polynomial(x * x, near_c, 7), a, a);
  const et_f32 b = et_f32_at_most(a, et_f32_all(4.0f));
  const et_f32 far = one - et_f32_exp(et_f32_polynomial(b, far_c, 7));
  return et_f32_copysign(et_f32_select(a < one, near, far), x);
}

#endif /* BACKENDS_CPU_MICROKERNELS_FUNCTIONS_H_ */
