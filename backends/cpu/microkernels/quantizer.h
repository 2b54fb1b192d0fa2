/* Quantization parameters broadcast to vectors. */
#ifndef BACKENDS_CPU_MICROKERNELS_QUANTIZER_H_
#define BACKENDS_CPU_MICROKERNELS_QUANTIZER_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/simd_i8.h"

ET_INLINE et_quantizer et_quantizer_of(const et_cpu_output_quantization *from) {
  const et_quantizer quantizer = {
      et_f32_all(from->inverse),
      et_f32_all((float)(from->low - from->zero_point)),
      et_f32_all((float)(from->high - from->zero_point)), from->zero_point};
  return quantizer;
}

#endif /* BACKENDS_CPU_MICROKERNELS_QUANTIZER_H_ */
