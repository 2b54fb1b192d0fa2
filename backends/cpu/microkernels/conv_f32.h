/* Convolution of float32 images in NHWC layout with packed weights (indirect GEMM).
 *
 * y[p, n] = activation(sum over taps t and channels c of x[pixel(p, t), c] * w[t, c, n]
 *                      + bias[n] + residual[p, n])
 *
 * Each output pixel p is a row of a GEMM with K = kernel_y * kernel_x * channels / groups. Weights
 * are panels of 16 columns:
 *   panel 0: w[k=0][0..15]   w[k=1][0..15]   ... w[k=K-1][0..15]
 *   panel 1: w[k=0][16..31]  w[k=1][16..31]  ... w[k=K-1][16..31] */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_F32_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_F32_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"

typedef struct et_cpu_conv {
  et_cpu_window window;
  const float *x;      /* [batch][height][width][channels] */
  const float *panels; /* [group][panel][kernel_y][kernel_x][depth][16] */
  const float *bias;   /* [group][panel][16] */
  size_t channels;     /* total over all groups */
  size_t columns;      /* total over all groups */
  size_t groups;
  et_cpu_activation activation;
} et_cpu_conv;

typedef void et_cpu_conv_f32_function(const et_cpu_conv *conv,
                                      const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_conv_f32_function, et_cpu_conv_f32);

/* conv_f32 with float16 or bfloat16 weights.
 *
 * Formula and shapes are the same as for conv_f32. Weights have the same packed layout, with 16-bit
 * elements:
 *   [group][panel][kernel_y][kernel_x][depth][16 columns]
 * Weights are widened to float32 on the stack, in blocks of 2 panels by 128 elements of K (16 KiB).
 * The register tile of conv_f32 then multiplies all pixels of the call by the block. Results are
 * bit-identical to those of conv_f32 with the widened weights. Weights are widened again for every
 * 96 pixels. Multiply-adds are the bottleneck. */

typedef struct et_cpu_conv_f16w {
  et_cpu_conv conv;       /* the field `panels` is not used */
  const uint16_t *panels; /* [group][panel][kernel_y][kernel_x][depth][16] */
  bool is_bfloat;
} et_cpu_conv_f16w;

typedef void et_cpu_conv_f16w_function(const et_cpu_conv_f16w *conv,
                                       const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_conv_f16w_function, et_cpu_conv_f32_f16w);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_F32_H_ */
