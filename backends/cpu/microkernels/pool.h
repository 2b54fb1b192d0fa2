/* Averages and maxima of windows, in float. */
#ifndef BACKENDS_CPU_MICROKERNELS_POOL_H_
#define BACKENDS_CPU_MICROKERNELS_POOL_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"

typedef struct et_cpu_pool {
  et_cpu_window window;
  size_t channels;
  bool maximum;       /* else the average */
  bool count_padding; /* an average is of all taps, else of those inside */
  size_t divisor;     /* of every average, when it is not 0 */
} et_cpu_pool;

/* Computes `channels` channels from `first` on of one row of the output,
 * [out_width][channels of all], from an image [height][width][channels]. */
typedef void et_cpu_pool_f32_function(const et_cpu_pool *pool,
                                      const float *image, size_t row,
                                      size_t first, size_t channels,
                                      float *out);

ET_CPU_DECLARE(et_cpu_pool_f32_function, et_cpu_pool_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_POOL_H_ */
