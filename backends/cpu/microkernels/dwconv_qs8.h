/* Depthwise convolution of int8 or uint8 images in NHWC layout.
 *
 *   s[i, j, c] = sum over taps t of x[pixel(i, j, t), c] * w[t, c]    (int32, exact)
 *   y[i, j, c] = quantize((s - zero_point * sums[c]) * scale[c] + bias[c])
 *
 * Padding has the value of the zero point. Each column of the kernel is packed in quads (groups of
 * 4 rows), padded with zeros, [panel, kernel_x, ceil(kernel_y / 4), 16 channels, 4 rows]:
 *   kernel column 0: w[0..3][c=0] w[0..3][c=1] ... w[0..3][c=15]
 * Rows of the image are interleaved the same way, so that a dot product of two quads adds 4 taps of
 * a channel. Windows share the interleaved columns in which they overlap. A call computes rows of y
 * for up to 64 channels. Without VNNI, products are added in int16 if they fit (max_exact_terms),
 * and in int32 otherwise. Interleaving and requantization are the bottleneck, because each weight
 * is used only once per pixel. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/schema/kernel_sizes.h"

typedef struct et_cpu_dwconv_qs8 {
  et_cpu_window window;
  et_cpu_qs8 x;           /* [batch, height, width, channels] */
  const int8_t *taps;     /* [panel, kernel_x, ceil(kernel_y / 4), 16, 4] */
  size_t max_exact_terms; /* see ConvolutionQs8 in backends/cpu/schema */
  int32_t min_value;      /* lower bound of x */
  et_cpu_columns_i8 of_columns; /* [panel, 16] */
  et_cpu_output_quantization output_quantization;
  uint8_t *out; /* [batch, out_height, out_width, channels] */
  size_t channels;
} et_cpu_dwconv_qs8;

/* Rows of the output, counted over all images, and up to ET_CPU_DWCONV_CHANNELS_I8 channels. */
typedef struct et_cpu_rows_i8 {
  size_t first_row;
  size_t rows;
  size_t first_channel; /* a multiple of ET_CPU_DWCONV_CHANNELS_I8 */
} et_cpu_rows_i8;

#define ET_CPU_DWCONV_CHANNELS_I8 64

typedef void et_cpu_dwconv_qs8_function(const et_cpu_dwconv_qs8 *depthwise,
                                        const et_cpu_rows_i8 *rows);

ET_CPU_DECLARE(et_cpu_dwconv_qs8_function, et_cpu_dwconv_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_QS8_H_ */
