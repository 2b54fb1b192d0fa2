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
#ifndef BACKENDS_CPU_MICROKERNELS_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"

/* Quantized values with their scale. */
typedef struct et_cpu_scaled_bytes {
  et_cpu_bytes bytes;
  float scale;
} et_cpu_scaled_bytes;

typedef void et_cpu_quantize_function(
    const et_cpu_output_quantization *quantizing, const float *x, uint8_t *y,
    size_t count);
typedef void et_cpu_dequantize_function(const et_cpu_scaled_bytes *x, float *y,
                                        size_t count);

typedef struct et_cpu_binary_qs8 {
  et_cpu_output_quantization quantizing;
  et_cpu_scaled_bytes a;
  et_cpu_scaled_bytes b;
  bool is_product;
} et_cpu_binary_qs8;

typedef void et_cpu_binary_qs8_function(const et_cpu_binary_qs8 *binary,
                                        uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_quantize_function, et_cpu_quantize);
ET_CPU_DECLARE(et_cpu_dequantize_function, et_cpu_dequantize);
ET_CPU_DECLARE(et_cpu_binary_qs8_function, et_cpu_binary_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_QS8_H_ */
