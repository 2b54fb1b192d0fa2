/* Windows that are multiplied where they lie, by addresses of their pixels, and those of few
 * channels, whose rows are packed. For instruction sets whose sums of bytes are exact, as
 * nothing has to be made of bytes in memory. */
#ifndef BACKENDS_CPU_SIMD_WINDOWS_I8_H_
#define BACKENDS_CPU_SIMD_WINDOWS_I8_H_

#include "backends/cpu/simd/taps_i8.h"

#if ET_DOT4_EXACT

/* Quads of lines of a window, which weights are spread to, and those of all panels of a
 * tile. */
#define ET_SPREAD_QUADS 64
#define ET_SPREAD_BYTES (ET_SPREAD_QUADS * 4 * ET_PANEL * ET_I8_PANELS)

/* What the runs of a window are. */
typedef enum et_runs_i8 {
  ET_RUNS_PACKED, /* none: windows are copied */
  ET_RUNS_TAPS,   /* pixels, whose channels are whole quads */
  ET_RUNS_LINES,  /* one: rows of a window, each filled up to whole quads */
} et_runs_i8;

ET_INLINE size_t et_line_size_i8(const et_taps_i8 *t) {
  return t->window->kernel_x * t->size;
}

ET_INLINE et_runs_i8 et_runs_of_i8(const et_taps_i8 *t) {
  const et_cpu_window *w = t->window;
  if (t->size % 4 == 0 && t->size > 0) {
    return ET_RUNS_TAPS;
  }
  return t->size == t->channels && w->dilation_x == 1 && t->size > 0 &&
                 w->kernel_y * ((et_line_size_i8(t) + 3) / 4) <= ET_SPREAD_QUADS
             ? ET_RUNS_LINES
             : ET_RUNS_PACKED;
}

/* Runs of a window, and the quads of each. */
ET_INLINE void et_count_runs_i8(const et_taps_i8 *t, et_runs_i8 kind,
                                et_packed_i8 *packed) {
  const et_cpu_window *w = t->window;
  const bool by_lines = kind == ET_RUNS_LINES;
  packed->runs = by_lines ? 1 : w->kernel_y * w->kernel_x;
  packed->quads = by_lines ? w->kernel_y * ((et_line_size_i8(t) + 3) / 4)
                           : (t->size + 3) / 4;
  packed->depth = packed->runs * packed->quads;
}

/* Pixels of the output that follow each other in a row of it, what they read and where
 * its addresses go. */
typedef struct et_segment_i8 {
  const et_taps_i8 *taps;
  const uint8_t
      *rows[ET_CPU_TAPS_I8]; /* of the image, as et_find_rows_i8 says */
  size_t x;                  /* of the first window, may wrap */
  size_t count;
  const uint8_t *end;   /* of what may be read */
  const uint8_t **from; /* [run][stride] */
  size_t stride;
} et_segment_i8;

/* Of one tap of each window, which is pixel `x` for the first. */
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

typedef uint8_t et_step_i8 __attribute__((vector_size(ET_I8_STEP)));

/* A row of a window that is not wholly inside of the image, pixel by pixel. */
ET_APART void et_copy_line_i8(const et_taps_i8 *t, const uint8_t *row, size_t x,
                              uint8_t *to) {
  const et_cpu_window *w = t->window;
  for (size_t j = 0; j < w->kernel_x; j++, x++, to += t->size) {
    memcpy(to, x < w->width ? row + x * t->size : t->beyond, t->size);
  }
}

/* Some whole steps of bytes, with `shift` added to each. */
ET_INLINE void et_put_steps_i8(uint8_t *to, const uint8_t *from, size_t size,
                               uint8_t shift) {
  for (size_t at = 0; at < size; at += ET_I8_STEP) {
    et_step_i8 x;
    memcpy(&x, from + at, sizeof(x));
    x += shift;
    memcpy(to + at, &x, sizeof(x));
  }
}

/* The rows of the window that begins at pixel `x`, each filled up to whole quads by
 * anything, as weights there are 0: it overwrites what the one before wrote too much.
 * Those that reach beyond the image, or what may be read, are copied first. */
ET_INLINE void et_put_lines_i8(const et_segment_i8 *s, size_t x, uint8_t shift,
                               uint8_t *to) {
  const et_taps_i8 *t = s->taps;
  const et_cpu_window *w = t->window;
  const size_t size = et_line_size_i8(t);
  const bool within = x < w->width && x + w->kernel_x <= w->width;
  uint8_t copy[4 * ET_SPREAD_QUADS + ET_I8_STEP];
  for (size_t i = 0; i < w->kernel_y; i++, to += (size + 3) / 4 * 4) {
    const uint8_t *row = s->rows[i];
    const uint8_t *from = t->beyond;
    if (row != NULL && within &&
        (uintptr_t)(row + x * t->size) + size + ET_I8_STEP <=
            (uintptr_t)s->end) {
      from = row + x * t->size;
    } else if (row != NULL) {
      et_copy_line_i8(t, row, x, copy);
      from = copy;
    }
    et_put_steps_i8(to, from, size, shift);
  }
}

/* Windows from pixel `x` on that lie in the image, all of whose rows may be read in
 * whole steps. */
ET_INLINE size_t et_count_inside_i8(const et_segment_i8 *s, size_t x) {
  const et_taps_i8 *t = s->taps;
  const et_cpu_window *w = t->window;
  const uint8_t *last = s->rows[w->kernel_y - 1];
  if (s->rows[0] == NULL || last == NULL || x >= w->width ||
      x + w->kernel_x > w->width ||
      (uintptr_t)(last + w->width * t->size + ET_I8_STEP) > (uintptr_t)s->end) {
    return 0;
  }
  return (w->width - w->kernel_x - x) / w->stride_x + 1;
}

ET_INLINE void et_pack_lines_i8(const et_segment_i8 *s, uint8_t shift,
                                size_t depth, uint8_t *to) {
  const et_taps_i8 *t = s->taps;
  const et_cpu_window *w = t->window;
  const size_t size = et_line_size_i8(t);
  const size_t step = (size + 3) / 4 * 4;
  size_t x = s->x;
  for (size_t p = 0; p < s->count;) {
    const size_t inside = et_count_inside_i8(s, x);
    const size_t end = inside < s->count - p ? p + inside : s->count;
    for (; p < end; p++, x += w->stride_x, to += depth * 4) {
      for (size_t i = 0; i < w->kernel_y; i++) {
        et_put_steps_i8(to + i * step, s->rows[i] + x * t->size, size, shift);
      }
    }
    if (p < s->count) {
      et_put_lines_i8(s, x, shift, to);
      p++;
      x += w->stride_x;
      to += depth * 4;
    }
  }
}

/* Fills in the addresses of `count` windows from number `pixel`, counted over all
 * images; `end` is that of the images. Rows of windows are packed. */
ET_INLINE void et_address_windows_i8(const et_taps_i8 *t, et_runs_i8 kind,
                                     size_t pixel, size_t count,
                                     const uint8_t *end, bool is_signed,
                                     et_packed_i8 *packed) {
  const et_cpu_window *w = t->window;
  et_segment_i8 s = {
      .taps = t, .end = end, .from = packed->from, .stride = count};
  uint8_t *to = packed->bytes;
  packed->rows = count;
  et_count_runs_i8(t, kind, packed);
  et_turn_i8(packed, is_signed);
  if (kind == ET_RUNS_LINES) {
    packed->flip = 0;
    for (size_t i = 0; i < count; i++) {
      packed->from[i] = packed->bytes + i * packed->depth * 4;
    }
  }
  for (size_t left = count; left > 0; left -= s.count, pixel += s.count) {
    const size_t column = pixel % w->out_width;
    s.x = column * w->stride_x - w->left;
    s.count = left < w->out_width - column ? left : w->out_width - column;
    et_find_rows_i8(t, pixel / w->out_width, s.rows);
    if (kind == ET_RUNS_TAPS) {
      et_address_taps_i8(&s);
    } else {
      et_pack_lines_i8(&s, (uint8_t)packed->shift, packed->depth, to);
      to += s.count * packed->depth * 4;
    }
    s.from += s.count;
  }
}

/* Weights of a panel, `depth` quads of windows whose elements lie together, for lines
 * of `size` elements each: what fills up their quads is 0. */
ET_INLINE void et_spread_panel_i8(const int8_t *panel, size_t depth,
                                  size_t lines, size_t size, int8_t *to) {
  for (size_t line = 0; line < lines; line++) {
    for (size_t k = 0; k < size; k += 4, to += 4 * ET_PANEL) {
      const size_t at = line * size + k;
      const int shift = (int)(at % 4 * 8);
      const uint32_t keep = size - k < 4 ? (1u << (size - k) * 8) - 1 : ~0u;
      const int8_t *from = panel + at / 4 * 4 * ET_PANEL;
      const bool last = at / 4 + 1 == depth;
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        const et_u32 low = (et_u32)et_i8_load(from + v * 4 * ET_CPU_LANES);
        et_u32 high = {0};
        if (!last) {
          high = (et_u32)et_i8_load(from + 4 * ET_PANEL + v * 4 * ET_CPU_LANES);
        }
        /* In two steps, as all 32 bits are none to shift by. */
        const et_u32 quad = low >> shift | high << (24 - shift) << 8;
        const et_u32 kept = quad & keep;
        memcpy(to + v * 4 * ET_CPU_LANES, &kept, sizeof(kept));
      }
    }
  }
}

#endif

#endif /* BACKENDS_CPU_SIMD_WINDOWS_I8_H_ */
