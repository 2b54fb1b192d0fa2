/* Where a window reads bytes. */
#ifndef BACKENDS_CPU_SIMD_TAPS_I8_H_
#define BACKENDS_CPU_SIMD_TAPS_I8_H_

#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/window.h"

/* An image of the batch for each window. */
typedef struct et_taps_i8 {
  const et_cpu_window *window;
  const uint8_t *x;      /* channel 0 of those that are read, first image */
  const uint8_t *beyond; /* read outside of the image */
  size_t channels;       /* of a pixel */
} et_taps_i8;

/* Lists the taps of output pixel `pixel`, counted over all images. */
ET_INLINE void et_list_taps_i8(const et_taps_i8 *t, size_t pixel,
                               const uint8_t **list) {
  const et_cpu_window *w = t->window;
  const size_t line = pixel / w->out_width;
  const uint8_t *image =
      t->x + line / w->out_height * w->height * w->width * t->channels;
  size_t y = line % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < w->kernel_y; i++, y += w->dilation_y) {
    size_t x = pixel % w->out_width * w->stride_x - w->left;
    for (size_t j = 0; j < w->kernel_x; j++, x += w->dilation_x) {
      *list++ = y < w->height && x < w->width
                    ? image + (y * w->width + x) * t->channels
                    : t->beyond;
    }
  }
}

#endif /* BACKENDS_CPU_SIMD_TAPS_I8_H_ */
