/* Convolution of int8 or uint8 images in NHWC layout with int8 weights.
 *
 *   s[p, n] = sum over taps t and channels c of x[pixel(p, t), c] * w[t, c, n]    (int32, exact)
 *   y[p, n] = quantize((s - zero_point * sums[n]) * scale[n] + bias[n])
 *
 * Padding has the value of the zero point. The elements of a window are ordered by row, column and
 * channel. Weights are packed in quads, groups of 4 consecutive elements, as [panel, quad, 16
 * columns, 4]:
 *   quad 0: w[0..3][0] w[0..3][1] ... w[0..3][15]
 *   quad 1: w[4..7][0] w[4..7][1] ... w[4..7][15]
 * Windows are packed as rows, in blocks of up to 96 rows. With exact dot products of quads
 * (ET_DOT4_EXACT), rows are read in place where possible. The tile of tile_i8.h multiplies the
 * rows: 6 x 16 with AVX2, 6 x 64 with AVX-512 VNNI. Without VNNI, products are added in int16 if
 * they fit (max_exact_terms), and in int32 otherwise. Dot products are the bottleneck; the cost of
 * packing is amortized over all columns. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/schema/kernel_sizes.h"

typedef struct et_cpu_conv_qs8 {
  et_cpu_window window;
  et_cpu_qs8 x;                 /* [batch, height, width, channels] */
  size_t max_exact_terms;       /* see ConvolutionQs8 in backends/cpu/schema */
  int32_t min_value;            /* lower bound of x */
  const int8_t *panels;         /* [group, panel, quad, 16, 4] */
  et_cpu_columns_i8 of_columns; /* [group, panel, 16] */
  et_cpu_output_quantization output_quantization;
  uint8_t *out;    /* [batch, out_height, out_width, columns] */
  size_t channels; /* total over all groups */
  size_t columns;  /* total over all groups */
  size_t groups;
} et_cpu_conv_qs8;

typedef void et_cpu_conv_qs8_function(const et_cpu_conv_qs8 *conv,
                                      const et_cpu_pixels_i8 *pixels);

ET_CPU_DECLARE(et_cpu_conv_qs8_function, et_cpu_conv_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_QS8_H_ */
