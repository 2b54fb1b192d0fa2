/* Depthwise convolution of bytes: exact sums, requantized per channel. */
#ifndef BACKENDS_CPU_SIMD_DEPTHWISE_I8_H_
#define BACKENDS_CPU_SIMD_DEPTHWISE_I8_H_

#include "backends/cpu/simd/quantized.h"
#include "backends/cpu/simd/variants.h"
#include "backends/cpu/simd/window.h"

typedef struct et_cpu_depthwise_i8 {
  et_cpu_window window;
  et_cpu_bytes x; /* [batch][height][width][channels] */
  const int16_t
      *taps; /* [panel][pair of taps][16][2]; an odd one pairs with 0 */
  et_cpu_columns_i8 of_columns; /* [panel][16] */
  et_cpu_quantizing quantizing;
  uint8_t *out; /* [batch][out_height][out_width][channels] */
  size_t channels;
} et_cpu_depthwise_i8;

/* Bounds of what is kept on the stack. */
#define ET_CPU_DEPTHWISE_TAPS_I8 64
#define ET_CPU_DEPTHWISE_PIXELS_I8 16
#define ET_CPU_DEPTHWISE_CHANNELS_I8 8192

/* Computes `count` <= ET_CPU_DEPTHWISE_PIXELS_I8 pixels of the output from `first`
 * on, counted over all images. */
typedef void et_cpu_depthwise_i8_function(const et_cpu_depthwise_i8 *depthwise,
                                          size_t first, size_t count);

ET_CPU_DECLARE(et_cpu_depthwise_i8_function, et_cpu_depthwise_i8);

#endif /* BACKENDS_CPU_SIMD_DEPTHWISE_I8_H_ */
