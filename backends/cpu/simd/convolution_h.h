/* Convolution in float of packed weights that are float16 or bfloat16: the bits
 * are those of the floats that they stand for. */
#ifndef BACKENDS_CPU_SIMD_CONVOLUTION_H_H_
#define BACKENDS_CPU_SIMD_CONVOLUTION_H_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/simd/convolution.h"

typedef struct et_cpu_convolution_h {
  et_cpu_convolution conv; /* without panels of floats */
  const uint16_t *panels;  /* [group][panel][kernel_y][kernel_x][depth][16] */
  bool is_bfloat;
} et_cpu_convolution_h;

typedef void et_cpu_convolution_h_function(const et_cpu_convolution_h *conv,
                                           const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_convolution_h_function, et_cpu_convolution_halves);

#endif /* BACKENDS_CPU_SIMD_CONVOLUTION_H_H_ */
