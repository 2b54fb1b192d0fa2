/* Convolution in float that reads planes, [batch][channels][height][width]: the
 * first of a network, of few channels. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_PLANAR_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_PLANAR_H_

#include "backends/cpu/microkernels/conv_f32.h"

/* The rows that one row of the output reads are laid out with their padding on
 * the stack, in strips of columns. */
#define ET_CPU_CONV_PLANAR_FLOATS 6144
#define ET_CPU_CONV_PLANAR_TAPS 512

/* Columns of the output that are computed together, at least. */
#define ET_CPU_CONV_PLANAR_COLUMNS 6

/* Columns of the output that a strip has room for. */
static inline size_t et_cpu_conv_planar_columns(const et_cpu_window *window,
                                                size_t channels) {
  const size_t rows = channels * window->kernel_y;
  const size_t reach = (window->kernel_x - 1) * window->dilation_x + 1;
  const size_t pitch = ET_CPU_CONV_PLANAR_FLOATS / (rows > 0 ? rows : 1);
  return pitch < reach ? 0 : (pitch - reach) / window->stride_x + 1;
}

/* Whether a window over so many planes is taken. */
static inline int et_cpu_conv_planar_fit(const et_cpu_window *window,
                                         size_t channels) {
  return channels * window->kernel_y * window->kernel_x <=
             ET_CPU_CONV_PLANAR_TAPS &&
         et_cpu_conv_planar_columns(window, channels) >=
             ET_CPU_CONV_PLANAR_COLUMNS;
}

/* Computes row `row` of the output, counted over all images of the batch, and
 * adds to it a row of a residual unless that is NULL. One
 * group; the window fits. */
typedef void et_cpu_conv_planar_f32_function(const et_cpu_conv *conv,
                                             size_t row, float *out,
                                             const float *residual);

ET_CPU_DECLARE(et_cpu_conv_planar_f32_function, et_cpu_conv_planar_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_PLANAR_H_ */
