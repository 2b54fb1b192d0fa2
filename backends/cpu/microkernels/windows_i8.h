/* Windows of int8 convolutions that do not need a list of pieces.
 *
 * With ET_DOT4_EXACT, windows whose pixels are whole quads are read in place, through the addresses
 * of their pixels. Other windows with few channels are copied row by row. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINDOWS_I8_H_
#define BACKENDS_CPU_MICROKERNELS_WINDOWS_I8_H_

#include "backends/cpu/microkernels/taps_i8.h"

/* Maximum size in bytes of a window that is copied row by row, and the number of bytes that are
 * copied at once, which may exceed a row. */
#define ET_LINES_BYTES 256
#define ET_LINE_STEP 32

_Static_assert(ET_LINE_STEP <= 2 * ET_I8_STEP,
               "the excess of the last line fits in et_packed_i8.bytes");
_Static_assert(ET_LINES_BYTES + ET_LINE_STEP <= ET_CPU_CONV_QS8_MAX_CHANNELS,
               "a line of padding fits in the `beyond` buffer of conv_qs8.c");

/* How the window is divided into runs. */
typedef enum et_runs_i8 {
  ET_RUNS_PACKED, /* no runs: windows are packed */
  ET_RUNS_TAPS,   /* one run per pixel, whose channels are whole quads */
  ET_RUNS_LINES,  /* one run: the rows of a window, copied back to back */
} et_runs_i8;

ET_INLINE size_t et_line_size_i8(const et_taps_i8 *t) {
  return t->window->kernel_x * t->size;
}

ET_INLINE et_runs_i8 et_runs_of_i8(const et_taps_i8 *t) {
  const et_cpu_window *w = t->window;
  if (ET_DOT4_EXACT && t->size % 4 == 0 && t->size > 0) {
    return ET_RUNS_TAPS;
  }
  return t->size == t->channels && w->dilation_x == 1 && t->size > 0 &&
                 w->kernel_y * et_line_size_i8(t) <= ET_LINES_BYTES
             ? ET_RUNS_LINES
             : ET_RUNS_PACKED;
}

/* Consecutive output pixels of a row, their input, and the destination of the addresses. */
typedef struct et_segment_i8 {
  const et_taps_i8 *taps;
  const uint8_t
      *rows[ET_CPU_CONV_QS8_MAX_TAPS]; /* image rows; see et_find_rows_i8 */
  size_t x; /* pixel of the first window; wraps if negative */
  size_t count;
  const uint8_t *end;   /* end of readable memory */
  const uint8_t **from; /* [run][stride] */
  size_t stride;
} et_segment_i8;

/* How a row is copied: as half a step, one step, or several steps. */
typedef enum et_lines_i8 {
  ET_LINES_HALF,
  ET_LINES_ONE,
  ET_LINES_MANY,
} et_lines_i8;

ET_INLINE et_lines_i8 et_lines_of_i8(size_t size) {
  return size <= ET_LINE_STEP / 2 ? ET_LINES_HALF
         : size <= ET_LINE_STEP   ? ET_LINES_ONE
                                  : ET_LINES_MANY;
}

ET_INLINE void et_put_half_i8(uint8_t *to, const uint8_t *from, uint8_t shift) {
  typedef uint8_t half __attribute__((vector_size(ET_LINE_STEP / 2)));
  half x;
  memcpy(&x, from, sizeof(x));
  x += shift;
  memcpy(to, &x, sizeof(x));
}

ET_INLINE void et_put_step_i8(uint8_t *to, const uint8_t *from, uint8_t shift) {
  typedef uint8_t step __attribute__((vector_size(ET_LINE_STEP)));
  step x;
  memcpy(&x, from, sizeof(x));
  x += shift;
  memcpy(to, &x, sizeof(x));
}

/* Copies a row of `size` bytes and adds `shift` to each. `lines` is a compile-time constant. */
ET_INLINE void et_put_line_i8(uint8_t *to, const uint8_t *from, size_t size,
                              et_lines_i8 lines, uint8_t shift) {
  if (lines == ET_LINES_HALF) {
    et_put_half_i8(to, from, shift);
    return;
  }
  et_put_step_i8(to, from, shift);
  for (size_t at = ET_LINE_STEP; lines == ET_LINES_MANY && at < size;
       at += ET_LINE_STEP) {
    et_put_step_i8(to + at, from + at, shift);
  }
}

/* Pixels of a window row: `before` pixels before the image, then `inside` pixels that start at
 * pixel `first`. The remaining pixels are after the image. */
typedef struct et_reach_i8 {
  size_t before;
  size_t first;
  size_t inside;
} et_reach_i8;

/* Returns the reach of a window row at pixel `x`, which wraps if negative. */
ET_INLINE et_reach_i8 et_reach_of_i8(const et_cpu_window *w, size_t x) {
  const size_t outside = x < w->width ? 0 : 0 - x;
  if (outside >= w->kernel_x) {
    return (et_reach_i8){w->kernel_x, 0, 0};
  }
  const size_t left = w->width - (x + outside);
  const size_t max = w->kernel_x - outside;
  return (et_reach_i8){outside, x + outside, left < max ? left : max};
}

/* Copies a row that is partly inside the image. Each part overwrites the excess bytes of the
 * previous one. Input that is too short for whole steps is copied first. */
ET_INLINE void et_put_reach_i8(const et_segment_i8 *s, const et_reach_i8 *reach,
                               const uint8_t *row, uint8_t shift, uint8_t *to) {
  const et_taps_i8 *t = s->taps;
  const size_t size = reach->inside * t->size;
  const size_t done = (reach->before + reach->inside) * t->size;
  const uint8_t *from = row + reach->first * t->size;
  uint8_t copy[ET_LINES_BYTES + ET_LINE_STEP];
  if ((uintptr_t)from + size + ET_LINE_STEP > (uintptr_t)s->end) {
    memcpy(copy, from, size);
    from = copy;
  }
  et_put_line_i8(to, t->beyond, reach->before * t->size, ET_LINES_MANY, shift);
  et_put_line_i8(to + reach->before * t->size, from, size, ET_LINES_MANY,
                 shift);
  if (done < et_line_size_i8(t)) {
    et_put_line_i8(to + done, t->beyond, et_line_size_i8(t) - done,
                   ET_LINES_MANY, shift);
  }
}

/* Copies the rows of a window at any pixel `x`, back to back. */
ET_INLINE void et_put_lines_i8(const et_segment_i8 *s, size_t x, uint8_t shift,
                               uint8_t *to) {
  const et_taps_i8 *t = s->taps;
  const et_cpu_window *w = t->window;
  const size_t size = et_line_size_i8(t);
  const et_reach_i8 reach = et_reach_of_i8(w, x);
  for (size_t i = 0; i < w->kernel_y; i++, to += size) {
    if (s->rows[i] == NULL || reach.inside == 0) {
      et_put_line_i8(to, t->beyond, size, ET_LINES_MANY, shift);
    } else {
      et_put_reach_i8(s, &reach, s->rows[i], shift, to);
    }
  }
}

/* Returns how many windows, starting at pixel `x`, are inside the image and readable in whole
 * steps. */
ET_INLINE size_t et_count_inside_i8(const et_segment_i8 *s, size_t x) {
  const et_taps_i8 *t = s->taps;
  const et_cpu_window *w = t->window;
  const uint8_t *last = s->rows[w->kernel_y - 1];
  if (s->rows[0] == NULL || last == NULL || x >= w->width ||
      x + w->kernel_x > w->width ||
      (uintptr_t)(last + w->width * t->size + ET_LINE_STEP) >
          (uintptr_t)s->end) {
    return 0;
  }
  return (w->width - w->kernel_x - x) / w->stride_x + 1;
}

/* Copies `count` windows that are inside the image. */
ET_INLINE void et_put_inside_i8(const et_segment_i8 *s, size_t x, size_t count,
                                et_lines_i8 lines, uint8_t shift, size_t depth,
                                uint8_t *to) {
  const et_taps_i8 *t = s->taps;
  const size_t height = t->window->kernel_y;
  const size_t size = et_line_size_i8(t);
  const size_t step = t->window->stride_x * t->size;
  size_t from = x * t->size;
  for (size_t p = 0; p < count; p++, to += depth * 4, from += step) {
    uint8_t *at = to;
    for (size_t i = 0; i < height; i++, at += size) {
      et_put_line_i8(at, s->rows[i] + from, size, lines, shift);
    }
  }
}

ET_INLINE void et_pack_lines_i8(const et_segment_i8 *s, uint8_t shift,
                                size_t depth, uint8_t *to) {
  const size_t step = s->taps->window->stride_x;
  const et_lines_i8 lines = et_lines_of_i8(et_line_size_i8(s->taps));
  for (size_t p = 0, count; p < s->count; p += count) {
    const size_t x = s->x + p * step;
    const size_t inside = et_count_inside_i8(s, x);
    uint8_t *at = to + p * depth * 4;
    count = inside < s->count - p ? inside : s->count - p;
    if (count == 0) {
      et_put_lines_i8(s, x, shift, at);
      count = 1;
    } else if (lines == ET_LINES_HALF) {
      et_put_inside_i8(s, x, count, ET_LINES_HALF, shift, depth, at);
    } else if (lines == ET_LINES_ONE) {
      et_put_inside_i8(s, x, count, ET_LINES_ONE, shift, depth, at);
    } else {
      et_put_inside_i8(s, x, count, ET_LINES_MANY, shift, depth, at);
    }
  }
}

/* Sets the segment to the first of `count` output pixels that start at `pixel`, up to the end of a
 * row. */
ET_INLINE void et_find_segment_i8(et_segment_i8 *s, size_t pixel,
                                  size_t count) {
  const et_cpu_window *w = s->taps->window;
  const size_t column = pixel % w->out_width;
  s->x = column * w->stride_x - w->left;
  s->count = count < w->out_width - column ? count : w->out_width - column;
  et_find_rows_i8(s->taps, pixel / w->out_width, s->rows);
}

/* Copies `count` windows of `depth` quads each. The first one is that of output pixel `pixel`,
 * counted over all images. `end` is the end of the images. */
ET_INLINE void et_copy_windows_i8(const et_taps_i8 *t, size_t pixel,
                                  size_t count, const uint8_t *end,
                                  uint8_t shift, size_t depth, uint8_t *to) {
  et_segment_i8 s = {.taps = t, .end = end};
  for (; count > 0; count -= s.count, pixel += s.count) {
    et_find_segment_i8(&s, pixel, count);
    et_pack_lines_i8(&s, shift, depth, to);
    to += s.count * depth * 4;
  }
}

#if ET_DOT4_EXACT

/* Sets the number of runs per window and of quads per run. */
ET_INLINE void et_count_runs_i8(const et_taps_i8 *t, et_runs_i8 kind,
                                et_packed_i8 *packed) {
  const et_cpu_window *w = t->window;
  const bool by_lines = kind == ET_RUNS_LINES;
  packed->runs = by_lines ? 1 : w->kernel_y * w->kernel_x;
  packed->quads =
      ((by_lines ? w->kernel_y * et_line_size_i8(t) : t->size) + 3) / 4;
  packed->depth = packed->runs * packed->quads;
}

/* Lists the addresses of one tap of all windows. `x` is its pixel in the first window. */
ET_INLINE void et_address_tap_i8(const et_segment_i8 *s, const uint8_t *row,
                                 size_t x, const uint8_t **from) {
  const et_cpu_window *w = s->taps->window;
  const size_t step = w->stride_x * s->taps->channels;
  size_t i = 0;
  for (; i < s->count && (row == NULL || x >= w->width);
       i++, x += w->stride_x) {
    from[i] = s->taps->beyond;
  }
  const uint8_t *at = i < s->count ? row + x * s->taps->channels : NULL;
  for (; i < s->count && x < w->width; i++, x += w->stride_x, at += step) {
    from[i] = at;
  }
  for (; i < s->count; i++) {
    from[i] = s->taps->beyond;
  }
}

ET_INLINE void et_address_taps_i8(const et_segment_i8 *s) {
  const et_cpu_window *w = s->taps->window;
  const uint8_t **from = s->from;
  for (size_t i = 0; i < w->kernel_y; i++) {
    for (size_t j = 0; j < w->kernel_x; j++, from += s->stride) {
      et_address_tap_i8(s, s->rows[i], s->x + j * w->dilation_x, from);
    }
  }
}

/* Lists the addresses of `count` windows. The first one is that of output pixel `pixel`, counted
 * over all images. `end` is the end of the images. With ET_RUNS_LINES, windows are copied. */
ET_INLINE void et_address_windows_i8(const et_taps_i8 *t, et_runs_i8 kind,
                                     size_t pixel, size_t count,
                                     const uint8_t *end, bool is_signed,
                                     et_packed_i8 *packed) {
  packed->rows = count;
  et_count_runs_i8(t, kind, packed);
  et_set_flip_i8(packed, is_signed);
  if (kind == ET_RUNS_LINES) {
    packed->flip = 0;
    for (size_t i = 0; i < count; i++) {
      packed->from[i] = packed->bytes + i * packed->depth * 4;
    }
    et_copy_windows_i8(t, pixel, count, end, (uint8_t)packed->shift,
                       packed->depth, packed->bytes);
    return;
  }
  et_segment_i8 s = {
      .taps = t, .end = end, .from = packed->from, .stride = count};
  for (size_t left = count; left > 0; left -= s.count, pixel += s.count) {
    et_find_segment_i8(&s, pixel, left);
    et_address_taps_i8(&s);
    s.from += s.count;
  }
}

#endif

#endif /* BACKENDS_CPU_MICROKERNELS_WINDOWS_I8_H_ */
