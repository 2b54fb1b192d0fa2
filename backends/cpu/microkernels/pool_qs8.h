/* Pooling of int8 or uint8 images in NHWC layout.
 *
 * y = quantize(pool(x - zero_point) * scale). Sums and maxima are exact int32. A sum is scaled and
 * divided in float32, then quantized with the parameters of y. Maxima are computed on the 8-bit
 * values themselves, 4 * ET_CPU_LANES channels at once, and requantized only if x and y have
 * different quantizations. Sums, and maxima of the remaining channels, are computed in int32, one
 * vector at a time. Loads are the bottleneck, as in pool.h. */
#ifndef BACKENDS_CPU_MICROKERNELS_POOL_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_POOL_QS8_H_

#include "backends/cpu/microkernels/pool.h"
#include "backends/cpu/microkernels/qs8.h"

typedef struct et_cpu_pool_qs8 {
  et_cpu_pool pool;
  et_cpu_scaled_qs8 x;
  et_cpu_output_quantization output_quantization;
  bool keeps_values; /* requantization does not change any value of x */
} et_cpu_pool_qs8;

/* Channels `first` to `first + channels - 1` of a row of the output. */
typedef struct et_cpu_pool_row_i8 {
  const uint8_t *image; /* [height, width, channels of the pool] */
  size_t row;
  size_t first;
  size_t channels;
  uint8_t *out; /* [out_width, channels of the pool] */
} et_cpu_pool_row_i8;

typedef void et_cpu_pool_qs8_function(const et_cpu_pool_qs8 *pool,
                                      const et_cpu_pool_row_i8 *row);

ET_CPU_DECLARE(et_cpu_pool_qs8_function, et_cpu_pool_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_POOL_QS8_H_ */
