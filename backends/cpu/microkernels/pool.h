/* Pooling of float32 images in NHWC layout.
 *
 * y[i, j, c] is the maximum or the average of x over the taps of the window at (i, j). Taps outside
 * the image are skipped. The maximum of a window with a NaN is NaN. A call computes one row of y.
 * The tile is two vectors of channels of a pixel (one with AVX-512), because a single chain of
 * additions would be limited by latency. Loads are the bottleneck: each element is read once per
 * tap and used once. */
#ifndef BACKENDS_CPU_MICROKERNELS_POOL_H_
#define BACKENDS_CPU_MICROKERNELS_POOL_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"

typedef struct et_cpu_pool {
  et_cpu_window window;
  size_t channels;
  bool maximum;       /* true: maximum; false: average */
  bool count_padding; /* include padding taps in the divisor */
  size_t divisor;     /* divisor of averages; 0: use the number of taps */
} et_cpu_pool;

/* Computes `channels` channels, starting at `first`, of row `row` of the output. image: [height,
 * width, channels of the pool]; out: [out_width, channels of the pool]. */
typedef void et_cpu_pool_f32_function(const et_cpu_pool *pool,
                                      const float *image, size_t row,
                                      size_t first, size_t channels,
                                      float *out);

ET_CPU_DECLARE(et_cpu_pool_f32_function, et_cpu_pool_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_POOL_H_ */
