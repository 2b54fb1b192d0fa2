/* Definitions shared by float32 and int8 Winograd convolutions. */
#ifndef BACKENDS_XNNPACK_RUNTIME_WINOGRAD_H_
#define BACKENDS_XNNPACK_RUNTIME_WINOGRAD_H_

#include "backends/cpu/microkernels/winograd_f32.h"
#include "backends/cpu/schema/cost_model.h"
#include "backends/xnnpack/runtime/convolution.h"

/* Number of window taps along an axis. */
#define ET_XNN_WINOGRAD_TAPS 3

/* Sizes of the output. */
typedef struct et_xnn_pixels {
  int64_t batch;
  int64_t height;
  int64_t width;
} et_xnn_pixels;

/* Returns the output's sizes for the declared input, or zeros if the input is not an image. */
static inline et_xnn_pixels et_xnn_declared_pixels(
    const et_xnn_builder *b, const et_xnn_convolution_of *c) {
  const et_xnn_dims x = et_xnn_input(b, ET_XNN_CONV_X).dims;
  if (x.rank != 4) {
    return (et_xnn_pixels){0, 0, 0};
  }
  return (et_xnn_pixels){x.sizes[0],
                         et_xnn_window_outputs(&c->window, 0, x.sizes[1]),
                         et_xnn_window_outputs(&c->window, 1, x.sizes[2])};
}

/* Returns true for a 3 x 3 window with stride and dilation 1. */
static inline bool et_xnn_is_3x3(const et_xnn_window *w) {
  bool is_plain = true;
  for (size_t axis = 0; axis < 2; axis++) {
    is_plain = is_plain && w->kernel[axis] == ET_XNN_WINOGRAD_TAPS &&
               w->stride[axis] == 1 && w->dilation[axis] == 1;
  }
  return is_plain;
}

/* Returns the number of tiles of side x side outputs. */
static inline size_t et_xnn_tiles_of(const et_xnn_pixels *out, size_t side) {
  return (size_t)out->batch * et_cpu_winograd_tiles((size_t)out->height, side) *
         et_cpu_winograd_tiles((size_t)out->width, side);
}

/* Returns the number of tiles, out of `all`, that a thread transforms at once. Its workspace has
 * space for `fitting` tiles. */
static inline size_t et_xnn_clamp_tiles(size_t all, size_t fitting) {
  const size_t max =
      fitting < ET_CPU_WINOGRAD_MIN_TILES   ? ET_CPU_WINOGRAD_MIN_TILES
      : fitting > ET_CPU_WINOGRAD_MAX_TILES ? ET_CPU_WINOGRAD_MAX_TILES
                                            : fitting;
  return all < 1 ? 1 : all < max ? all : max;
}

#endif /* BACKENDS_XNNPACK_RUNTIME_WINOGRAD_H_ */
