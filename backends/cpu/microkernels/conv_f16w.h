/* Convolution in float of packed weights that are float16 or bfloat16: the bits
 * are those of the floats that they stand for. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_F16W_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_F16W_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/conv_f32.h"

typedef struct et_cpu_conv_f16w {
  et_cpu_conv conv;       /* without panels of floats */
  const uint16_t *panels; /* [group][panel][kernel_y][kernel_x][depth][16] */
  bool is_bfloat;
} et_cpu_conv_f16w;

typedef void et_cpu_conv_f16w_function(const et_cpu_conv_f16w *conv,
                                       const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_conv_f16w_function, et_cpu_conv_halves);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_F16W_H_ */
