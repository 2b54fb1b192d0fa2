/* Convolution of float32 images in planar (NCHW) layout, [batch, channels, height, width], to NHWC.
 * Networks use it for their first convolution, which has few input channels.
 *
 * The formula and the packed weights are those of conv_f32.h, with one group. A row of the output
 * is computed in spans. If the windows of a span are inside the image, its rows are read in
 * place. Otherwise, they are copied to the stack with their padding. In both cases, the elements
 * that a tap reads for adjacent outputs are a constant distance apart. The tile is 6 outputs by one
 * panel of 16 columns. With AVX-512, two tiles or two panels are computed at once. Each loaded
 * weight is multiplied by at least 6 broadcast elements. Multiply-adds are the bottleneck. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_PLANAR_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_PLANAR_H_

#include "backends/cpu/microkernels/conv_f32.h"
#include "backends/cpu/schema/cost_model.h"

/* Returns the maximum number of outputs per span. The elements that a span reads must fit in its
 * buffer. */
static inline size_t et_cpu_conv_planar_columns(const et_cpu_window *window,
                                                size_t channels) {
  const size_t rows = channels * window->kernel_y;
  const size_t reach = (window->kernel_x - 1) * window->dilation_x + 1;
  const size_t pitch = ET_CPU_CONV_PLANAR_FLOATS / (rows > 0 ? rows : 1);
  return pitch < reach ? 0 : (pitch - reach) / window->stride_x + 1;
}

/* Returns whether the microkernel supports the window with `channels` channels. */
static inline int et_cpu_conv_planar_fit(const et_cpu_window *window,
                                         size_t channels) {
  return channels * window->kernel_y * window->kernel_x <=
             ET_CPU_CONV_PLANAR_TAPS &&
         et_cpu_conv_planar_columns(window, channels) >=
             ET_CPU_CONV_PLANAR_COLUMNS;
}

/* Computes row `row` of the output, counted over all images of the batch. The convolution must have
 * one group and a supported window. residual: the row to add, or NULL. */
typedef void et_cpu_conv_planar_f32_function(const et_cpu_conv *conv,
                                             size_t row, float *out,
                                             const float *residual);

ET_CPU_DECLARE(et_cpu_conv_planar_f32_function, et_cpu_conv_planar_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_PLANAR_H_ */
