/* Windows of convolutions and pooling, and ranges of their outputs. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINDOW_H_
#define BACKENDS_CPU_MICROKERNELS_WINDOW_H_

#include <stddef.h>

/* For output pixel (y, x), tap (i, j) reads pixel
 * (y * stride_y - top + i * dilation_y, x * stride_x - left + j * dilation_x)
 * of the image. Pixels outside the image are padding. */
typedef struct et_cpu_window {
  size_t height, width;
  size_t out_height, out_width;
  size_t kernel_y, kernel_x;
  size_t stride_y, stride_x;
  size_t dilation_y, dilation_x;
  size_t top, left;
} et_cpu_window;

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

/* Maximum number of pixels per call, a multiple of the height of every tile. */
#define ET_CPU_CONV_PIXELS 96

/* Same as et_cpu_pixels, for int8 images. The output pointer is in the arguments of the op. */
typedef struct et_cpu_pixels_i8 {
  size_t first_pixel;
  size_t pixels;
  size_t group;
  size_t first_column; /* a multiple of 16 */
  size_t columns;
} et_cpu_pixels_i8;

#endif /* BACKENDS_CPU_MICROKERNELS_WINDOW_H_ */
