/* conv_f32 with float16 or bfloat16 weights.
 *
 * The formula and the shapes are those of conv_f32.h. Weights have the same packed layout, with
 * 16-bit elements:
 *   [group][panel][kernel_y][kernel_x][depth][16 columns]
 * Blocks of 2 panels by 128 weights are widened to float32 on the stack (16 KiB). The register tile
 * of conv_f32 then multiplies them with all pixels of the call. Results are bit-identical to those
 * of conv_f32 with the widened weights. Weights are widened again for every 96 pixels.
 * Multiply-adds are the bottleneck. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_F16W_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_F16W_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/conv_f32.h"

typedef struct et_cpu_conv_f16w {
  et_cpu_conv conv;       /* the field `panels` is not used */
  const uint16_t *panels; /* [group][panel][kernel_y][kernel_x][depth][16] */
  bool is_bfloat;
} et_cpu_conv_f16w;

typedef void et_cpu_conv_f16w_function(const et_cpu_conv_f16w *conv,
                                       const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_conv_f16w_function, et_cpu_conv_f32_f16w);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_F16W_H_ */
