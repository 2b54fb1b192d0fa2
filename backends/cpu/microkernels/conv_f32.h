/* Convolution in float of packed weights: products whose rows are gathered from
 * the image by pointers; no copy of the image is made. */
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
  size_t channels;     /* of all groups, as the columns */
  size_t columns;
  size_t groups;
  et_cpu_activation activation;
} et_cpu_conv;

/* Pixels of the output in the order of memory, over all images of the batch;
 * columns of one group, the first that of a panel. `out` and `residual`, if there
 * is one, begin with the first pixel. */
typedef struct et_cpu_pixels {
  size_t first_pixel;
  size_t pixels;
  size_t group;
  size_t first_column;
  size_t columns;
  float *out; /* [pixel][columns of all groups] */
  const float *residual;
} et_cpu_pixels;

/* Most pixels of a call: a multiple of the rows of every tile. */
#define ET_CPU_CONV_PIXELS 96

typedef void et_cpu_conv_f32_function(const et_cpu_conv *conv,
                                      const et_cpu_pixels *pixels);

ET_CPU_DECLARE(et_cpu_conv_f32_function, et_cpu_conv_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_F32_H_ */
