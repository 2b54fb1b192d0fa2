/* Taps of a window that are inside an image. */
#ifndef BACKENDS_CPU_MICROKERNELS_POOL_TAPS_H_
#define BACKENDS_CPU_MICROKERNELS_POOL_TAPS_H_

#include "backends/cpu/microkernels/pool.h"

/* Range of taps along an axis: taps `first` to `end - 1` are inside the image. */
typedef struct et_pool_taps {
  size_t first;
  size_t end;
  size_t begin; /* index of tap 0; wraps if negative */
} et_pool_taps;

/* Returns how many of `kernel` taps are at positions below `size`. The first tap is at `begin`,
 * which wraps if negative. */
static inline size_t et_taps_before(size_t begin, size_t size, size_t kernel,
                                    size_t dilation) {
  const ptrdiff_t distance = (ptrdiff_t)(size - begin);
  if (distance <= 0) {
    return 0;
  }
  const size_t pixels = (size_t)distance;
  const size_t taps = dilation == 1 ? pixels : (pixels - 1) / dilation + 1;
  return taps < kernel ? taps : kernel;
}

static inline et_pool_taps et_find_taps(size_t begin, size_t size,
                                        size_t kernel, size_t dilation) {
  et_pool_taps t = {.begin = begin};
  t.end = et_taps_before(begin, size, kernel, dilation);
  t.first = et_taps_before(begin, 0, kernel, dilation);
  return t;
}

/* Returns the divisor for the average of a window. */
static inline float et_pool_divisor(const et_cpu_pool *pool,
                                    const et_pool_taps *y,
                                    const et_pool_taps *x) {
  if (pool->divisor != 0) {
    return (float)pool->divisor;
  }
  return pool->count_padding
             ? (float)(pool->window.kernel_y * pool->window.kernel_x)
             : (float)((y->end - y->first) * (x->end - x->first));
}

#endif /* BACKENDS_CPU_MICROKERNELS_POOL_TAPS_H_ */
