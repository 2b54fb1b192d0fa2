/* Depthwise convolution of bytes: exact sums, requantized per channel. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"

typedef struct et_cpu_dwconv_qs8 {
  et_cpu_window window;
  et_cpu_bytes x; /* [batch][height][width][channels] */
  /* [panel][kernel_x][four rows][16][4], where rows that are none are 0. Of so
   * many quads as may be added `together`, from each multiple of as many on, sums
   * of both halves' products fit an int16, as no byte of x is below `lowest`; 0:
   * not even of one. */
  const int8_t *taps;
  size_t max_exact_terms;
  int32_t min_value;
  et_cpu_columns_i8 of_columns; /* [panel][16] */
  et_cpu_output_quantization quantizing;
  uint8_t *out; /* [batch][out_height][out_width][channels] */
  size_t channels;
} et_cpu_dwconv_qs8;

/* Bound of what is kept on the stack. */
#define ET_CPU_DWCONV_TAPS_I8 64

/* Rows of the output, counted over all images, of ET_CPU_DWCONV_CHANNELS_I8
 * channels from `first_channel` on, or of those there are. */
typedef struct et_cpu_rows_i8 {
  size_t first_row;
  size_t rows;
  size_t first_channel; /* a multiple of ET_CPU_DWCONV_CHANNELS_I8 */
} et_cpu_rows_i8;

#define ET_CPU_DWCONV_CHANNELS_I8 64

typedef void et_cpu_dwconv_qs8_function(const et_cpu_dwconv_qs8 *depthwise,
                                        const et_cpu_rows_i8 *rows);

ET_CPU_DECLARE(et_cpu_dwconv_qs8_function, et_cpu_dwconv_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_QS8_H_ */
