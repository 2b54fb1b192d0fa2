/* Rows of bytes that are multiplied where they lie: addresses of the runs that windows are
 * made of. For instruction sets whose sums of bytes are exact, as nothing is added to what
 * is in memory. */
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
  ET_RUNS_LINES,  /* rows of a window, each filled up to whole quads */
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
  packed->runs = by_lines ? w->kernel_y : w->kernel_y * w->kernel_x;
  packed->quads = ((by_lines ? et_line_size_i8(t) : t->size) + 3) / 4;
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

/* A row of a window that is not wholly inside of the image, pixel by pixel. */
ET_APART void et_copy_line_i8(const et_taps_i8 *t, const uint8_t *row, size_t x,
                              uint8_t *to) {
  const et_cpu_window *w = t->window;
  for (size_t j = 0; j < w->kernel_x; j++, x++, to += t->size) {
    memcpy(to, x < w->width ? row + x * t->size : t->beyond, t->size);
  }
}

/* Of one row of each window. Those that reach beyond the image, or would be read beyond
 * its end, are copied to `copies`, whose end is returned. */
ET_INLINE uint8_t *et_address_line_i8(const et_segment_i8 *s,
                                      const uint8_t *row, const uint8_t **from,
                                      uint8_t *copies) {
  const et_taps_i8 *t = s->taps;
  const et_cpu_window *w = t->window;
  const size_t size = (et_line_size_i8(t) + 3) / 4 * 4;
  size_t x = s->x;
  for (size_t i = 0; i < s->count; i++, x += w->stride_x) {
    const uint8_t *at = row + x * t->size;
    if (x < w->width && x + w->kernel_x <= w->width &&
        (uintptr_t)at + size <= (uintptr_t)s->end) {
      from[i] = at;
      continue;
    }
    et_copy_line_i8(t, row, x, copies);
    from[i] = copies;
    copies += size;
  }
  return copies;
}

ET_INLINE uint8_t *et_address_lines_i8(const et_segment_i8 *s,
                                       uint8_t *copies) {
  const uint8_t **from = s->from;
  for (size_t i = 0; i < s->taps->window->kernel_y; i++, from += s->stride) {
    if (s->rows[i] != NULL) {
      copies = et_address_line_i8(s, s->rows[i], from, copies);
      continue;
    }
    for (size_t p = 0; p < s->count; p++) {
      from[p] = s->taps->beyond;
    }
  }
  return copies;
}

/* Fills in the addresses of `count` windows from number `pixel`, counted over all
 * images; `end` is that of the images. */
ET_INLINE void et_address_windows_i8(const et_taps_i8 *t, et_runs_i8 kind,
                                     size_t pixel, size_t count,
                                     const uint8_t *end, et_packed_i8 *packed) {
  const et_cpu_window *w = t->window;
  et_segment_i8 s = {
      .taps = t, .end = end, .from = packed->from, .stride = count};
  uint8_t *copies = packed->bytes;
  packed->rows = count;
  et_count_runs_i8(t, kind, packed);
  for (size_t left = count; left > 0; left -= s.count, pixel += s.count) {
    const size_t column = pixel % w->out_width;
    s.x = column * w->stride_x - w->left;
    s.count = left < w->out_width - column ? left : w->out_width - column;
    et_find_rows_i8(t, pixel / w->out_width, s.rows);
    if (kind == ET_RUNS_TAPS) {
      et_address_taps_i8(&s);
    } else {
      copies = et_address_lines_i8(&s, copies);
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
