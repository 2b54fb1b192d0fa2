/* Convolution 3 x 3 of stride 1 of bytes as F(4 x 4, 3 x 3) in whole numbers: a quarter of the
 * products, of int16, and the very sums of the convolution.
 *
 * Rows of G are taken without their common factors, so that weights stay int16; what comes out
 * is the sum of a result times 24, 12, 6, 6 along each axis, modulo 2^32. The nines in it have an
 * inverse modulo 2^32, and the twos are shifted out, six at most: a sum below 2^25 comes out as
 * it is. Bytes are multiplied as signed ones, so that sums of 227 channels are below. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINOGRAD_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_WINOGRAD_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/microkernels/winograd_f32.h"

/* Results of a tile along an axis. */
#define ET_CPU_WINOGRAD_SIDE_I8 4

/* Channels are whole vectors of int16, and columns whole panels. */
#define ET_CPU_WINOGRAD_CHANNELS_I8 32
#define ET_CPU_WINOGRAD_MOST_CHANNELS_I8 224

typedef struct et_cpu_winograd_qs8 {
  et_cpu_window window; /* 3 x 3, stride 1, dilation 1 */
  et_cpu_bytes x;       /* [batch][height][width][channels] */
  const int16_t *
      panels; /* [position][panel][pair of channels][16][2]: weights between rows 6 0 0,
                  1 1 1, 1 -1 1, 1 2 4, 1 -2 4, 0 0 6 and their transpose */
  et_cpu_columns_i8 of_columns;
  et_cpu_output_quantization quantizing;
  uint8_t *out; /* [batch][out_height][out_width][columns] */
  size_t channels;
  size_t columns;
} et_cpu_winograd_qs8;

/* Words of four bytes that `tiles` tiles at once need: all positions of their pixels, and of
 * some columns of products. */
static inline size_t et_cpu_winograd_words_i8(size_t tiles, size_t channels) {
  return et_cpu_winograd_positions(ET_CPU_WINOGRAD_SIDE_I8) * tiles *
         (channels / 2 + ET_CPU_WINOGRAD_COLUMNS);
}

typedef void et_cpu_winograd_qs8_function(const et_cpu_winograd_qs8 *winograd,
                                          size_t first_tile, size_t tiles,
                                          void *workspace);

ET_CPU_DECLARE(et_cpu_winograd_qs8_function, et_cpu_winograd_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_WINOGRAD_QS8_H_ */
