/* Rows of bytes that stand for numbers, one by one. */
#ifndef BACKENDS_CPU_MICROKERNELS_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"

/* Bytes, and what one step of them is worth. */
typedef struct et_cpu_scaled_bytes {
  et_cpu_bytes bytes;
  float scale;
} et_cpu_scaled_bytes;

typedef void et_cpu_quantize_function(
    const et_cpu_output_quantization *quantizing, const float *x, uint8_t *y,
    size_t count);
typedef void et_cpu_dequantize_function(const et_cpu_scaled_bytes *x, float *y,
                                        size_t count);

/* Two rows of bytes: what the numbers behind them add up or multiply to, as
 * bytes. */
typedef struct et_cpu_pair_bytes {
  et_cpu_output_quantization quantizing;
  et_cpu_scaled_bytes a;
  et_cpu_scaled_bytes b;
  bool is_product;
} et_cpu_pair_bytes;

typedef void et_cpu_pair_bytes_function(const et_cpu_pair_bytes *pair,
                                        uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_quantize_function, et_cpu_quantize);
ET_CPU_DECLARE(et_cpu_dequantize_function, et_cpu_dequantize);
ET_CPU_DECLARE(et_cpu_pair_bytes_function, et_cpu_pair_bytes);

#endif /* BACKENDS_CPU_MICROKERNELS_QS8_H_ */
