/* Emulates the relaxed dot product of engines in which it is exact for 8-bit operands. The second
 * operand is signed if DOT_IS_SIGNED, as on ARM, else unsigned, as with AVX-VNNI. cross_test.sh
 * includes this header before all others. */
#ifndef BACKENDS_CPU_MICROKERNELS_WASM_DOT_H_
#define BACKENDS_CPU_MICROKERNELS_WASM_DOT_H_

#include <wasm_simd128.h>

static inline v128_t exact_dot(v128_t a, v128_t b, v128_t sum) {
  const v128_t even = DOT_IS_SIGNED
                          ? wasm_i16x8_shr(wasm_i16x8_shl(b, 8), 8)
                          : wasm_v128_and(b, wasm_i16x8_const_splat(255));
  const v128_t odd =
      DOT_IS_SIGNED ? wasm_i16x8_shr(b, 8) : wasm_u16x8_shr(b, 8);
  const v128_t products = wasm_i32x4_add(
      wasm_i32x4_dot_i16x8(wasm_i16x8_shr(wasm_i16x8_shl(a, 8), 8), even),
      wasm_i32x4_dot_i16x8(wasm_i16x8_shr(a, 8), odd));
  return wasm_i32x4_add(sum, products);
}

#define wasm_i32x4_relaxed_dot_i8x16_i7x16_add exact_dot

#endif /* BACKENDS_CPU_MICROKERNELS_WASM_DOT_H_ */
