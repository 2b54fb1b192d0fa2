/* Window of a convolution or of pooling, and the size of its image. */
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

#endif /* BACKENDS_CPU_MICROKERNELS_WINDOW_H_ */
