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
