/* Depthwise convolution of float32 images in NHWC layout.
 *
 * y[i, j, c] = activation(sum over taps t of x[pixel(i, j, t), c] * w[t, c] + bias[c])
 *
 * Weights are panels of 16 channels, [panel, kernel_y, kernel_x, 16]:
 *   panel 0: w[t=0][0..15]   w[t=1][0..15]   ...
 *   panel 1: w[t=0][16..31]  w[t=1][16..31]  ...
 * A call computes a range of channels of one row of y. The tile is 7 (or 4) pixels by one vector of
 * channels: each loaded weight is used for all pixels, and the independent accumulators hide the
 * latency of multiply-adds. Rows of the image are passed as pointers, so they can be in a ring
 * buffer. Loads are the bottleneck: each multiply-add reads an element of x. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_F32_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_F32_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"

typedef struct et_cpu_dwconv {
  et_cpu_window window;
  const float *taps; /* [ceil(channels / 16)][kernel_y][kernel_x][16] */
  const float *bias; /* [ceil(channels / 16) * 16] */
  size_t channels;
  et_cpu_activation activation;
} et_cpu_dwconv;

/* Channels `first` to `end - 1`. `first` is a multiple of 16. */
typedef struct et_cpu_channels {
  size_t first;
  size_t end;
} et_cpu_channels;

/* Computes `channels` of one row of the output, [out_width, channels]. rows[i]: the image row,
 * [width, channels], under kernel row i; NULL in the padding. */
typedef void et_cpu_dwconv_f32_function(const et_cpu_dwconv *depthwise,
                                        const float *const *rows, float *out,
                                        et_cpu_channels channels);

ET_CPU_DECLARE(et_cpu_dwconv_f32_function, et_cpu_dwconv_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_F32_H_ */
