/* Addresses of the int8 values in the windows of a convolution. */
#ifndef BACKENDS_CPU_MICROKERNELS_TAPS_I8_H_
#define BACKENDS_CPU_MICROKERNELS_TAPS_I8_H_

#include "backends/cpu/microkernels/conv_qs8.h"
#include "backends/cpu/microkernels/tile_i8.h"

/* Input of windows over a batch of images. */
typedef struct et_taps_i8 {
  const et_cpu_window *window;
  const uint8_t *x;      /* first channel to read, in the first image */
  const uint8_t *beyond; /* padding, for taps outside the image */
  size_t channels;       /* channels per pixel */
  size_t size;           /* number of channels to read */
} et_taps_i8;

/* Lists the taps of one row of a window at pixel `x`. Contiguous taps are one piece. `row` is NULL
 * outside the image. */
ET_INLINE et_piece_i8 *et_list_row_i8(const et_taps_i8 *t, const uint8_t *row,
                                      size_t x, et_piece_i8 *list) {
  const et_cpu_window *w = t->window;
  if (row != NULL && t->size == t->channels && w->dilation_x == 1 &&
      x < w->width && x + w->kernel_x <= w->width) {
    *list++ =
        (et_piece_i8){row + x * t->channels, w->kernel_x * t->channels, 1, 0};
    return list;
  }
  for (size_t j = 0; j < w->kernel_x; j++, x += w->dilation_x) {
    const bool inside = row != NULL && x < w->width;
    *list++ = (et_piece_i8){inside ? row + x * t->channels : t->beyond, t->size,
                            1, 0};
  }
  return list;
}

/* Finds the image row for each row of the window, for row `line` of the output, counted over all
 * images. Rows outside the image are NULL. */
ET_INLINE void et_find_rows_i8(const et_taps_i8 *t, size_t line,
                               const uint8_t **rows) {
  const et_cpu_window *w = t->window;
  const size_t length = w->width * t->channels;
  const uint8_t *image = t->x + line / w->out_height * w->height * length;
  size_t y = line % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < w->kernel_y; i++, y += w->dilation_y) {
    rows[i] = y < w->height ? image + y * length : NULL;
  }
}

/* Returns whether a window at pixel `x` is one piece: it is inside the image, all channels are
 * read, and the taps of each row are contiguous. */
ET_INLINE bool et_is_inside_i8(const et_taps_i8 *t, const uint8_t *const *rows,
                               size_t x) {
  const et_cpu_window *w = t->window;
  return rows[0] != NULL && rows[w->kernel_y - 1] != NULL &&
         t->size == t->channels && w->dilation_x == 1 && x < w->width &&
         x + w->kernel_x <= w->width;
}

/* Lists the input pieces of the windows of `count` output pixels. The first one is pixel `pixel`,
 * counted over all images. Returns the end of the list, which has space for each tap. */
ET_INLINE et_piece_i8 *et_list_taps_i8(const et_taps_i8 *t, size_t pixel,
                                       size_t count, et_piece_i8 *list) {
  const et_cpu_window *w = t->window;
  const uint8_t *rows[ET_CPU_CONV_QS8_MAX_TAPS];
  size_t line = pixel / w->out_width;
  size_t column = pixel % w->out_width;
  const size_t between =
      w->dilation_y * w->width * t->channels; /* row stride in bytes */
  et_find_rows_i8(t, line, rows);
  for (; count > 0; count--, column++) {
    if (column == w->out_width) {
      column = 0;
      et_find_rows_i8(t, ++line, rows);
    }
    const size_t x = column * w->stride_x - w->left;
    if (et_is_inside_i8(t, rows, x)) {
      *list++ = (et_piece_i8){rows[0] + x * t->channels,
                              w->kernel_x * t->channels, w->kernel_y, between};
      continue;
    }
    for (size_t i = 0; i < w->kernel_y; i++) {
      list = et_list_row_i8(t, rows[i], x, list);
    }
  }
  return list;
}

#endif /* BACKENDS_CPU_MICROKERNELS_TAPS_I8_H_ */
