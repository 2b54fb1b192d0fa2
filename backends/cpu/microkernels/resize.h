/* Pictures brought to other sizes: each output pixel is a weighted sum of pixels
 * around the place that it has in the input. */
#ifndef BACKENDS_CPU_MICROKERNELS_RESIZE_H_
#define BACKENDS_CPU_MICROKERNELS_RESIZE_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"

/* The codes stand in payloads. */
typedef enum et_cpu_resizing {
  ET_CPU_RESIZE_NEAREST = 0,       /* the pixel at the place of its corner */
  ET_CPU_RESIZE_NEAREST_EXACT = 1, /* at the place of its center */
  ET_CPU_RESIZE_LINEAR = 2,
  ET_CPU_RESIZE_CUBIC = 3,
} et_cpu_resizing;

typedef struct et_cpu_resize_axis {
  size_t in; /* at least 1 */
  size_t out;
  float scale; /* pixels of the input that one of the output goes on by */
} et_cpu_resize_axis;

typedef struct et_cpu_resize {
  et_cpu_resize_axis y;
  et_cpu_resize_axis x;
  size_t channels;
  et_cpu_resizing resizing;
  bool corners; /* corners' centers lie on each other, instead of their edges */
} et_cpu_resize;

/* Row `row` of the output of one image [y.in][x.in][channels]. */
typedef void et_cpu_resize_f32_function(const et_cpu_resize *resize,
                                        const float *image, size_t row,
                                        float *out);

ET_CPU_DECLARE(et_cpu_resize_f32_function, et_cpu_resize_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_RESIZE_H_ */
