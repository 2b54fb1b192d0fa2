/* Convolution of float32 images in NHWC layout with packed weights (indirect GEMM).
 *
 * y[p, n] = activation(sum over taps t and channels c of x[pixel(p, t), c] * w[t, c, n]
 *                      + bias[n] + residual[p, n])
 *
 * Each output pixel p is a row of a GEMM with K = kernel_y * kernel_x * channels / groups. A table
 * of pointers has the address of each tap of each row; taps in the padding point to zeros. The
 * image is not copied (no im2col). Weights are panels of 16 columns:
 *   panel 0: w[k=0][0..15]   w[k=1][0..15]   ... w[k=K-1][0..15]
 *   panel 1: w[k=0][16..31]  w[k=1][16..31]  ... w[k=K-1][16..31]
 * The register tile is that of gemm_f32 (tile.h): 6 rows by 16 columns with AVX2, and 6 rows by up
 * to 64 columns with AVX-512. Multiply-adds are the bottleneck. All columns share the cost of the
 * table. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_F32_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_F32_H_

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

/* Consecutive pixels of the output, counted over all images of the batch, and columns of one group.
 * The first column is the first of a panel. `out` and `residual` point to the first pixel. */
typedef struct et_cpu_pixels {
  size_t first_pixel;
  size_t pixels;
  size_t group;
  size_t first_column;
  size_t columns;
  float *out;            /* [pixel][columns of all groups] */
  const float *residual; /* layout of `out`; or NULL */
} et_cpu_pixels;

/* Maximum number of pixels per call, a multiple of the rows of every tile. */
#define ET_CPU_CONV_PIXELS 96

typedef void et_cpu_conv_f32_function(const et_cpu_conv *conv,
                                      const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_conv_f32_function, et_cpu_conv_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_F32_H_ */
