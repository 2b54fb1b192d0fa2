/* Implements conv_f32_f16w of conv_f32.h: conv_f32 with float16 or bfloat16 weights.
 *
 * The GEMM is indirect, as in conv_f32.c. K is split into parts of at most ET_BLOCK_DEPTH terms.
 * For each part, ET_BLOCK_PANELS panels at a time are widened to float32 on the stack (16 KiB). The
 * register tile (tile.h) then multiplies all pixels of the call by this block. Between two parts,
 * the output holds the accumulators. Multiply-adds are the bottleneck. */
#include "backends/cpu/microkernels/conv_f32.h"

#include "backends/cpu/microkernels/gather.h"
#include "backends/cpu/microkernels/half.h"
#include "backends/cpu/microkernels/sums.h"
#include "runtime/core/arithmetic.h"

/* Weights for the columns of a call. */
typedef struct f16_panels {
  const uint16_t *panels;
  bool is_bfloat;
} f16_panels;

/* Implements et_add_part: widens a few panels of weights at a time. */
static void add_part(const void *weights, et_tiles *tiles, size_t first,
                     const et_cpu_pixels *pixels) {
  float block[ET_BLOCK_PANELS * ET_BLOCK_DEPTH * ET_CPU_PANEL];
  const size_t max = ET_BLOCK_PANELS * ET_CPU_PANEL;
  const size_t depth = tiles->segments * tiles->depth;
  const f16_panels *from = weights;
  const uint16_t *panel = from->panels + first * ET_CPU_PANEL;
  et_tiles part = *tiles;
  part.panel_stride = ET_BLOCK_DEPTH * ET_CPU_PANEL;
  for (size_t c = 0; c < pixels->columns; c += max) {
    const size_t columns = et_min_size(pixels->columns - c, max);
    for (size_t i = 0; i < columns; i += ET_CPU_PANEL) {
      et_widen_panel(panel, block + i * ET_BLOCK_DEPTH, depth, from->is_bfloat);
      panel += tiles->panel_stride;
    }
    part.panels = block;
    ET_CPU_NAME(et_cpu_tiles)(&part, pixels->pixels, columns);
    et_tiles_right(&part, ET_BLOCK_PANELS);
  }
}

void ET_CPU_NAME(et_cpu_conv_f32_f16w)(const et_cpu_conv_f16w *conv,
                                       const et_cpu_pixels *pixels) {
  const et_cpu_conv *c = &conv->conv;
  const size_t depth =
      c->window.kernel_y * c->window.kernel_x * (c->channels / c->groups);
  const f16_panels from = {conv->panels + et_first_weight(c, pixels, depth),
                           conv->is_bfloat};
  et_convolve(c, pixels, ET_BLOCK_DEPTH, add_part, &from);
}
