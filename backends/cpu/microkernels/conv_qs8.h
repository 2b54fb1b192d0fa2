/* Convolution of bytes: exact sums, requantized per column. */
#ifndef BACKENDS_CPU_MICROKERNELS_CONV_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_CONV_QS8_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/microkernels/window.h"

typedef struct et_cpu_conv_qs8 {
  et_cpu_window window;
  et_cpu_bytes x;         /* [batch][height][width][channels] */
  size_t max_exact_terms; /* quads: see tile_i8.h */
  int32_t min_value;      /* byte of x */
  const int8_t
      *panels; /* [group][panel][quad][16][4]: elements of a window in the
                           order of rows, columns, channels */
  et_cpu_columns_i8 of_columns; /* [group][panel][16] */
  et_cpu_output_quantization quantizing;
  uint8_t *out;    /* [batch][out_height][out_width][columns] */
  size_t channels; /* of all groups, as the columns */
  size_t columns;
  size_t groups;
} et_cpu_conv_qs8;

/* Pixels of the output in the order of memory, over all images of the batch, and columns of
 * one group. */
typedef struct et_cpu_pixels_i8 {
  size_t first_pixel;
  size_t pixels;
  size_t group;
  size_t first_column; /* one of a panel */
  size_t columns;
} et_cpu_pixels_i8;

/* Bounds of what is kept on the stack. */
#define ET_CPU_TAPS_I8 64
#define ET_CPU_QUADS_I8 4096
/* Most channels of a group: what a tap beyond the edges reads is as long. */
#define ET_CPU_CHANNELS_I8 4096

typedef void et_cpu_conv_qs8_function(const et_cpu_conv_qs8 *conv,
                                      const et_cpu_pixels_i8 *pixels);

ET_CPU_DECLARE(et_cpu_conv_qs8_function, et_cpu_conv_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_CONV_QS8_H_ */
