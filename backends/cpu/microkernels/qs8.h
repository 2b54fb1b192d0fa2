/* Elementwise microkernels of quantized values: int8 and uint8. */
#ifndef BACKENDS_CPU_MICROKERNELS_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_QS8_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"

/* Elementwise ops on quantized rows.
 *
 *   quantize:    y = clamp(round(x * inverse) + zero_point, low, high)
 *   dequantize:  y = (x - zero_point) * scale
 *   binary_qs8:  y = quantize(dequantize(a) + dequantize(b)), or the product
 *
 * All operands are dense rows of `count` elements. A tile is one vector of float32; the last one
 * may be partial. A sum or product is computed in float32 and rounded once, ties to even, so every
 * instruction set gives the same values. The bottleneck is the conversion between int8 and float32,
 * not memory bandwidth. */

/* Quantized values with their scale. */
typedef struct et_cpu_scaled_qs8 {
  et_cpu_qs8 bytes;
  float scale;
} et_cpu_scaled_qs8;

typedef void et_cpu_quantize_function(
    const et_cpu_output_quantization *output_quantization, const float *x,
    uint8_t *y, size_t count);
typedef void et_cpu_dequantize_function(const et_cpu_scaled_qs8 *x, float *y,
                                        size_t count);

typedef struct et_cpu_binary_qs8 {
  et_cpu_output_quantization output_quantization;
  et_cpu_scaled_qs8 a;
  et_cpu_scaled_qs8 b;
  bool is_gemm;
} et_cpu_binary_qs8;

typedef void et_cpu_binary_qs8_function(const et_cpu_binary_qs8 *binary,
                                        uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_quantize_function, et_cpu_quantize);
ET_CPU_DECLARE(et_cpu_dequantize_function, et_cpu_dequantize);
ET_CPU_DECLARE(et_cpu_binary_qs8_function, et_cpu_binary_qs8);

/* Quantized addition of dense rows of int8 or uint8 values, in fixed point.
 *
 * The arithmetic is that of XNNPACK, because programs for XNNPACK expect its results. The CPU
 * backend's compiler emits binary_qs8, which computes in float32 as PyTorch does.
 *
 * Elements are widened to int32. A tile is one vector of int32; the last one may be partial. The
 * arithmetic uses integers only, so every instruction set gives the same values. The bottleneck is
 * the conversion between int8 and int32, not memory bandwidth. */

/* y = clamp((start + factors[0] * a + factors[1] * b >> shift) + zero_point, low, high) in int32.
 * The sum before the shift wraps around. */
typedef struct et_cpu_add_qs8 {
  int32_t factors[2];
  int32_t start;
  int32_t shift; /* 0 to 31 */
  int32_t zero_point;
  int32_t low;
  int32_t high;
  bool is_signed; /* true: a, b and y are int8; false: uint8 */
} et_cpu_add_qs8;

/* y may be a or b. */
typedef void et_cpu_add_qs8_function(const et_cpu_add_qs8 *add,
                                     const uint8_t *a, const uint8_t *b,
                                     uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_add_qs8_function, et_cpu_add_qs8);

/* Table lookup on dense rows of 8-bit values: y = table[x].
 *
 * The table has 256 entries, indexed by the bits of x. AVX-512 looks up 64 elements at once in four
 * registers with vpermt2w. AVX2 looks up 32 elements at once with pshufb, in 16 entries per
 * instruction. Other instruction sets load entries one by one. Each thread loads the table once per
 * chunk. */

#define ET_CPU_LUT_ENTRIES 256

/* y[i] = table[x[i]] for i < count. y may be x. */
typedef void et_cpu_lut_qs8_function(const uint8_t *table, const uint8_t *x,
                                     uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_lut_qs8_function, et_cpu_lut_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_QS8_H_ */
