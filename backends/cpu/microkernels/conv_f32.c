/* conv_f32 with float32 weights, as an indirect GEMM.
 *
 * A pointer table (gather.h) holds the address of each tap of each output pixel; taps in the
 * padding point to zeros. The image is not copied (no im2col). Weights are read in place.
 * K is split into parts of at most ET_TILE_DEPTH terms. Between two parts, the output holds the
 * accumulators.
 *
 * The register tile is that of gemm_f32 (tile.h): 6 rows by 16 columns with AVX2, and 6 rows by up
 * to 64 columns with AVX-512. Multiply-adds are the bottleneck. The cost of the table is amortized
 * over all columns.
 *
 * conv_f32_f16w is in conv_f16w.c, because a linker includes whole object files: a program with one
 * kind of weights does not contain the code for the other. */
#include "backends/cpu/microkernels/conv_f32.h"

#include "backends/cpu/microkernels/gather.h"

/* Implements et_add_part for float32 panels. */
static void add_part(const void *weights, et_tiles *tiles, size_t first,
                     const et_cpu_pixels *pixels) {
  tiles->panels = (const float *)weights + first * ET_CPU_PANEL;
  ET_CPU_NAME(et_cpu_tiles)(tiles, pixels->pixels, pixels->columns);
}

void ET_CPU_NAME(et_cpu_conv_f32)(const et_cpu_conv *conv,
                                  const et_cpu_pixels *pixels) {
  const size_t depth = conv->window.kernel_y * conv->window.kernel_x *
                       (conv->channels / conv->groups);
  et_convolve(conv, pixels, ET_TILE_DEPTH, add_part,
              conv->panels + et_first_weight(conv, pixels, depth));
}
