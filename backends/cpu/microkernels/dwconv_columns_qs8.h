/* Packs image columns for the int8 depthwise convolution. A column is packed as quads: a 32-bit
 * word holds four vertically adjacent values of one channel. Packed columns are buffered, because
 * overlapping windows share them. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_COLUMNS_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_COLUMNS_QS8_H_

#include "backends/cpu/microkernels/dwconv_span_qs8.h"

/* Returns `from`, or a copy of a band's channels if a vector load would reach beyond the image. */
ET_NOINLINE const uint8_t *et_near_end_i8(const et_span_i8 *s,
                                          const uint8_t *from, size_t part,
                                          uint8_t *copy) {
  return (uintptr_t)from + part <= (uintptr_t)s->end
             ? from
             : memcpy(copy, from, s->count);
}

/* Loads row `row` of a column. */
ET_INLINE et_u8 et_load_row_i8(const et_span_i8 *s, const et_column_i8 *at,
                               int row, size_t bands) {
  const size_t part = ET_SPAN_CHANNELS / bands;
  uint8_t copy[ET_SPAN_CHANNELS];
  const uint8_t *from[ET_U8_MAX_PARTS];
  ET_UNROLL for (size_t b = 0; b < bands; b++) {
    from[b] = at->from[row][b];
    if (s->is_near_end) {
      from[b] = et_near_end_i8(s, from[b], part, copy + b * part);
    }
  }
  return et_u8_joined(from, (int)bands);
}

/* Interleaves four rows as quads. */
ET_INLINE void et_put_quads_i8(const et_u8 *bytes, et_form_i8 f,
                               et_word_i8 *to) {
  et_i8 quads[ET_ROUNDED];
  et_i8_quads(bytes, quads);
  if (f == ET_FORM_WIDE) {
    et_widen_quads_i8(quads, false, to);
    return;
  }
  ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) { to[0].of[v] = quads[v]; }
}

/* Packs `columns` columns of padding, which have the value of the zero point, and stores them at
 * `to`. Returns the end of the stored columns. */
ET_INLINE et_word_i8 *et_put_outside_i8(const et_span_i8 *s, size_t columns,
                                        size_t step, et_form_i8 f,
                                        et_word_i8 *to) {
  const et_u8 bytes = s->zero + s->shift;
  const et_u8 all[4] = {bytes, bytes, bytes, bytes};
  for (size_t c = 0; c < columns; c++, to += step) {
    et_put_quads_i8(all, f, to);
  }
  return to;
}

/* Packs `columns` columns of the image, starting at `at`, and stores them at `to`. Returns the end
 * of the stored columns. `rows` and `bands` are compile-time constants. With 3 rows, the fourth
 * value of each quad is 0, like its tap. */
ET_INLINE et_word_i8 *et_put_inside_i8(const et_span_i8 *s, et_column_i8 at,
                                       size_t columns, int rows, size_t bands,
                                       size_t step, et_form_i8 f,
                                       et_word_i8 *to) {
  const et_u8 shift = s->shift;
  for (size_t c = 0; c < columns; c++, to += step) {
    et_u8 bytes[4] = {{0}};
    ET_UNROLL for (int i = 0; i < rows; i++) {
      bytes[i] = et_load_row_i8(s, &at, i, bands) + shift;
      ET_UNROLL for (size_t b = 0; b < bands; b++) {
        at.from[i][b] += at.step[i][b];
      }
    }
    et_put_quads_i8(bytes, f, to);
  }
  return to;
}

/* Number of columns before, inside and after the image. */
typedef struct et_columns_of_row {
  size_t before;
  size_t first; /* first column inside the image */
  size_t inside;
  size_t behind;
} et_columns_of_row;

/* Classifies `columns` columns, starting at `x`, which wraps if negative. */
static et_columns_of_row et_find_columns_i8(const et_cpu_window *w, size_t x,
                                            size_t columns) {
  et_columns_of_row found = {0, x, 0, 0};
  for (; found.before < columns && found.first >= w->width; found.before++) {
    found.first += w->dilation_x;
  }
  const size_t left = columns - found.before;
  const size_t there =
      (w->width - found.first + w->dilation_x - 1) / w->dilation_x;
  found.inside = left == 0 ? 0 : left < there ? left : there;
  found.behind = left - found.inside;
  return found;
}

/* Writes the columns of all rows of the windows as [columns][height][words]. */
ET_INLINE void et_put_columns_i8(const et_span_i8 *s,
                                 const et_columns_of_row *of, int rows,
                                 size_t bands, et_form_i8 f, et_word_i8 *to) {
  const size_t words = f == ET_FORM_WIDE ? 2 : 1;
  const size_t step = s->height * words;
  for (size_t q = 0; q < s->height; q++, to += words) {
    et_word_i8 *next = et_put_outside_i8(s, of->before, step, f, to);
    if (of->inside > 0) {
      next = et_put_inside_i8(s, et_column_at_i8(s, 4 * q, of->first),
                              of->inside, rows, bands, step, f, next);
    }
    et_put_outside_i8(s, of->behind, step, f, next);
  }
}

ET_INLINE void et_put_columns_of_i8(const et_span_i8 *s,
                                    const et_columns_of_row *of, size_t bands,
                                    et_form_i8 f, et_word_i8 *to) {
  if (!ET_HAS_SLIDE && s->depthwise->window.kernel_y == 3) {
    et_put_columns_i8(s, of, 3, bands, f, to);
  } else {
    et_put_columns_i8(s, of, 4, bands, f, to);
  }
}

ET_INLINE void et_put_columns_in_i8(const et_span_i8 *s,
                                    const et_columns_of_row *of, et_form_i8 f,
                                    et_word_i8 *to) {
#if ET_U8_MAX_PARTS > 2
  if (s->bands == 4) {
    et_put_columns_of_i8(s, of, 4, f, to);
    return;
  }
#endif
#if ET_U8_MAX_PARTS > 1
  if (s->bands == 2) {
    et_put_columns_of_i8(s, of, 2, f, to);
    return;
  }
#endif
  et_put_columns_of_i8(s, of, 1, f, to);
}

/* Writes the columns. ET_FORM_EXACT and ET_FORM_NARROW have the same quads. */
ET_NOINLINE void et_put_any_columns_i8(const et_span_i8 *s, size_t x,
                                       size_t columns, et_word_i8 *to) {
  const et_columns_of_row of =
      et_find_columns_i8(&s->depthwise->window, x, columns);
#if ET_SUMS_OF_16
  if (s->form == ET_FORM_WIDE) {
    et_put_columns_in_i8(s, &of, ET_FORM_WIDE, to);
    return;
  }
#endif
  et_put_columns_in_i8(s, &of, ET_FORM_EXACT, to);
}

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_COLUMNS_QS8_H_ */
