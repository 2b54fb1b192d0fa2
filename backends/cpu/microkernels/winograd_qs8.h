/* conv_qs8 with a 3 x 3 kernel and stride 1, computed with Winograd's algorithm F(4 x 4, 3 x 3) in
 * integers (Lavin & Gray 2016). It needs a quarter of the multiplications, in int16. Accumulators
 * are exact.
 *
 * Weights are G' w G'^T, where G' has the rows 6 0 0, 1 1 1, 1 -1 1, 1 2 4, 1 -2 4, 0 0 6. G' is G
 * with the denominators of its rows removed, so that weights fit in int16. The output transform
 * yields the accumulators times 24, 12, 6, 6 along each axis, modulo 2^32. The division is exact: 9
 * has an inverse modulo 2^32, and at most six factors of 2 are shifted out. The result is correct
 * for accumulators below 2^25 in magnitude; 9 * 128 * 128 * channels < 2^25 holds for up to 227
 * channels. Weights are packed as [position, panel, channels / 2, 16, 2]. One word has two channels
 * of a column, for pairwise multiply-adds:
 *   position 0, panel 0: w[c=0,1][n=0] w[c=0,1][n=1] ... w[c=0,1][n=15]
 * The tile is 6 x 16, or 6 x 64 with AVX-512. The GEMMs are the bottleneck; with few columns, the
 * transform is. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINOGRAD_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_WINOGRAD_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/microkernels/winograd_f32.h"
#include "backends/cpu/schema/kernel_sizes.h"

typedef struct et_cpu_winograd_qs8 {
  et_cpu_window window;  /* 3 x 3, stride 1, dilation 1 */
  et_cpu_qs8 x;          /* [batch][height][width][channels] */
  const int16_t *panels; /* [position, panel, channels / 2, 16, 2] */
  et_cpu_columns_i8 of_columns;
  et_cpu_output_quantization output_quantization;
  uint8_t *out; /* [batch][out_height][out_width][columns] */
  size_t channels;
  size_t columns;
} et_cpu_winograd_qs8;

/* Returns the size of the workspace in 32-bit words for `tiles` tiles. The workspace holds their
 * transformed pixels and the products for 64 columns. */
static inline uint64_t et_cpu_winograd_words_i8(uint64_t tiles,
                                                size_t channels) {
  return et_cpu_winograd_positions(ET_CPU_WINOGRAD_QS8_SIDE) * tiles *
         (channels / 2 + ET_CPU_WINOGRAD_COLUMNS);
}

typedef void et_cpu_winograd_qs8_function(const et_cpu_winograd_qs8 *winograd,
                                          size_t first_tile, size_t tiles,
                                          void *workspace);

ET_CPU_DECLARE(et_cpu_winograd_qs8_function, et_cpu_winograd_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_WINOGRAD_QS8_H_ */
