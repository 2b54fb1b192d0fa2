/* Depthwise convolution in float: every channel has taps of its own. */
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

/* Some channels: the first is that of a panel. */
typedef struct et_cpu_channels {
  size_t first;
  size_t end;
} et_cpu_channels;

/* Computes some channels of one row of the output, [out_width][channels]. rows[i] is
 * the row of the image, [width][channels], that tap row i reads, NULL outside of it.
 */
typedef void et_cpu_dwconv_f32_function(const et_cpu_dwconv *depthwise,
                                        const float *const *rows, float *out,
                                        et_cpu_channels channels);

ET_CPU_DECLARE(et_cpu_dwconv_f32_function, et_cpu_dwconv_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_F32_H_ */
