/* What convolutions by Winograd's algorithm have in common, of floats and of bytes. */
#ifndef BACKENDS_XNNPACK_RUNTIME_WINOGRAD_H_
#define BACKENDS_XNNPACK_RUNTIME_WINOGRAD_H_

#include "backends/cpu/microkernels/winograd_f32.h"
#include "backends/xnnpack/runtime/convolution.h"

/* Taps of a window along an axis. */
#define ET_XNN_WINOGRAD_TAPS 3

/* Bytes that a layer's weights may take more than as windows: those of ResNet-18's last
 * six layers would take 38 MB more in all, for a tenth of the time. */
#define ET_XNN_MOST_MORE_BYTES (4 << 20)

/* Pixels of the output, batch by batch. */
typedef struct et_xnn_pixels {
  int64_t batch;
  int64_t height;
  int64_t width;
} et_xnn_pixels;

/* At the sizes that the payload declares; none where the input is no picture. */
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

/* Whether both axes of the window are three taps side by side. */
static inline bool et_xnn_is_of_three_taps(const et_xnn_window *w) {
  bool is_plain = true;
  for (size_t axis = 0; axis < 2; axis++) {
    is_plain = is_plain && w->kernel[axis] == ET_XNN_WINOGRAD_TAPS &&
               w->stride[axis] == 1 && w->dilation[axis] == 1;
  }
  return is_plain;
}

/* Tiles of side x side results that cover all pixels. */
static inline size_t et_xnn_tiles_of(const et_xnn_pixels *out, size_t side) {
  return (size_t)out->batch * et_cpu_winograd_tiles((size_t)out->height, side) *
         et_cpu_winograd_tiles((size_t)out->width, side);
}

#endif /* BACKENDS_XNNPACK_RUNTIME_WINOGRAD_H_ */
