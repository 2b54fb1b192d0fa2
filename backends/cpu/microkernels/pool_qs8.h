/* Averages and maxima of windows of bytes. */
#ifndef BACKENDS_CPU_MICROKERNELS_POOL_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_POOL_QS8_H_

#include "backends/cpu/microkernels/pool.h"
#include "backends/cpu/microkernels/qs8.h"

/* The sum or the largest of a window is exact; the number it stands for is
 * rounded when it is scaled and when it is divided. */
typedef struct et_cpu_pool_qs8 {
  et_cpu_pool pool;
  et_cpu_scaled_bytes x;
  et_cpu_output_quantization quantizing;
  bool keeps_bytes; /* a number that is read is written as the same byte */
} et_cpu_pool_qs8;

/* `channels` channels from `first` on of one row of the output. */
typedef struct et_cpu_pool_row_i8 {
  const uint8_t *image; /* [height][width][channels of all] */
  size_t row;
  size_t first;
  size_t channels;
  uint8_t *out; /* [out_width][channels of all] */
} et_cpu_pool_row_i8;

typedef void et_cpu_pool_qs8_function(const et_cpu_pool_qs8 *pool,
                                      const et_cpu_pool_row_i8 *row);

ET_CPU_DECLARE(et_cpu_pool_qs8_function, et_cpu_pool_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_POOL_QS8_H_ */
