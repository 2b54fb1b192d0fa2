/* Interpolation of float32 images in NHWC layout.
 *
 * Along an axis, output i is interpolated from 1 (nearest), 2 (linear) or 4 (cubic, a = -0.75)
 * input pixels around its position; y is the sum of these 1, 4 or 16 pixels multiplied by their
 * weights. A call computes one row of y. A tile is one vector of channels of a pixel, with one
 * accumulator; nearest modes copy pixels. With few channels, computing the positions and weights of
 * each pixel is the bottleneck; otherwise, loads are. */
#ifndef BACKENDS_CPU_MICROKERNELS_RESIZE_H_
#define BACKENDS_CPU_MICROKERNELS_RESIZE_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/records.h"

typedef struct et_cpu_resize_axis {
  size_t in; /* at least 1 */
  size_t out;
  float scale; /* input pixels per output pixel */
} et_cpu_resize_axis;

typedef struct et_cpu_resize {
  et_cpu_resize_axis y;
  et_cpu_resize_axis x;
  size_t channels;
  et_cpu_resize_mode mode;
  bool
      align_corners; /* align the centers of the corner pixels instead of their edges */
} et_cpu_resize;

/* Computes row `row` of the output for one image, [y.in, x.in, channels]. */
typedef void et_cpu_resize_f32_function(const et_cpu_resize *resize,
                                        const float *image, size_t row,
                                        float *out);

ET_CPU_DECLARE(et_cpu_resize_f32_function, et_cpu_resize_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_RESIZE_H_ */
