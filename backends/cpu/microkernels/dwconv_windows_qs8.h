/* Dot products of taps and interleaved columns of an int8 depthwise convolution (dwconv_qs8.h).
 *
 *   s[pixel, c] = start[c] + sum over the window's quads of x[quad, c] . taps[quad, c]  (int32)
 *
 * Columns are [column][quad][channel][4], and taps are [kernel_x][quad][channel][4]. The tile is
 * ET_SPAN_PIXELS pixels by one vector of channels for common windows, and one pixel otherwise. The
 * accumulators are requantized one pixel at a time. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_WINDOWS_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_WINDOWS_QS8_H_

#include "backends/cpu/microkernels/dwconv_span_qs8.h"

/* Number of pixels per group. Their accumulators and the columns of their windows fit in
 * registers. */
#if defined(ET_CPU_ISA_AVX512) || defined(ET_CPU_ISA_NEON)
#define ET_SPAN_PIXELS 4
#elif defined(ET_CPU_ISA_WASM_RELAXED_DOT)
#define ET_SPAN_PIXELS 1
#else
#define ET_SPAN_PIXELS 2
#endif

/* Maximum number of columns in the windows of these pixels (5 x 5 kernel, stride 2). */
#define ET_MAX_SHARED (2 * (ET_SPAN_PIXELS - 1) + 5)
/* Number of quads in the column buffer. Any window fits in it, because a column of n taps has at
 * most n quads. */
#define ET_MAX_QUADS 96

_Static_assert(ET_MAX_QUADS >= ET_CPU_DWCONV_QS8_MAX_TAPS,
               "a window fits in the column buffer");
_Static_assert(ET_CPU_DWCONV_QS8_MAX_TAPS % 4 == 0,
               "rows, padded to whole quads, fit in et_span_i8.rows");

#if ET_SUMS_OF_16
ET_INLINE void et_add_narrow_i8(const et_word_i8 *x, const et_word_i8 *taps,
                                size_t quads, size_t max_exact_terms,
                                et_i32 *sums) {
  for (size_t q = 0; q < quads; q += max_exact_terms) {
    const size_t end =
        quads - q < max_exact_terms ? quads : q + max_exact_terms;
    et_i16 more[ET_ROUNDED] = {{0}};
    for (size_t i = q; i < end; i++) {
      ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
        more[v] = et_i16_dot2(more[v], x[i].of[v], taps[i].of[v]);
      }
    }
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      sums[v] = et_i32_add2(sums[v], more[v]);
    }
  }
}

ET_INLINE void et_add_wide_i8(const et_word_i8 *x, const et_word_i8 *taps,
                              size_t quads, et_i32 *sums) {
  for (size_t i = 0; i < 2 * quads; i++) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      sums[v] = et_i32_dot2(sums[v], (et_i16)x[i].of[v], (et_i16)taps[i].of[v]);
    }
  }
}
#else
ET_INLINE void et_add_exact_i8(const et_word_i8 *x, const et_word_i8 *taps,
                               size_t quads, et_i32 *sums) {
  for (size_t i = 0; i < quads; i++) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      sums[v] = et_i32_dot4(sums[v], x[i].of[v], taps[i].of[v]);
    }
  }
}
#endif

ET_INLINE void et_add_window_i8(const et_span_i8 *s, const et_word_i8 *x,
                                size_t quads, size_t max_exact_terms,
                                et_form_i8 f, et_i32 *sums) {
#if ET_SUMS_OF_16
  if (f == ET_FORM_WIDE) {
    et_add_wide_i8(x, s->taps, quads, sums);
  } else {
    et_add_narrow_i8(x, s->taps, quads, max_exact_terms, sums);
  }
#else
  (void)max_exact_terms;
  (void)f;
  et_add_exact_i8(x, s->taps, quads, sums);
#endif
}

ET_NOINLINE void et_put_few_i8(uint8_t *to, const uint8_t *bytes,
                               size_t count) {
  et_copy_few(to, bytes, count, ET_SPAN_CHANNELS);
}

/* Requantizes a pixel of all bands and stores it `at` bytes after the start of the rows. All
 * results are treated as if they may not fit in int32 (`is_far`), which is always correct. Handling
 * both cases would double the code size. */
ET_INLINE void et_put_pixel_i8(const et_span_i8 *s,
                               const et_requantization_i8 *m,
                               const et_i32 *sums, size_t at) {
  const et_u8 bytes = et_requantized_i8(m, sums, true);
  if (s->count == ET_SPAN_CHANNELS) {
    memcpy(s->out[0] + at, &bytes, ET_SPAN_CHANNELS);
    return;
  }
  const size_t part = ET_SPAN_CHANNELS / s->bands;
  const uint8_t *from = (const uint8_t *)&bytes;
  for (size_t b = 0; b < s->bands; b++, from += part) {
    if (s->count == ET_SPAN_CHANNELS / 2) {
      memcpy(s->out[b] + at, from, ET_SPAN_CHANNELS / 2);
    } else {
      et_put_few_i8(s->out[b] + at, from, s->count);
    }
  }
}

/* Computes `count` pixels for any window. In the column buffer, windows of adjacent pixels start
 * `step` words apart. */
ET_INLINE void et_sum_pixels_i8(const et_span_i8 *s, const et_word_i8 *x,
                                size_t step, size_t count, et_form_i8 f,
                                size_t at) {
  const size_t quads = s->height * s->depthwise->window.kernel_x;
  const et_requantization_i8 m = s->requantization;
  for (size_t i = 0; i < count; i++, x += step, at += s->depthwise->channels) {
    et_i32 sums[ET_ROUNDED];
    memcpy(sums, s->start, sizeof(sums));
    et_add_window_i8(s, x, quads, s->depthwise->max_exact_terms, f, sums);
    et_put_pixel_i8(s, &m, sums, at);
  }
}

/* Shape of windows for which the accumulators of ET_SPAN_PIXELS pixels fit in registers. All fields
 * are compile-time constants. */
typedef struct et_shape_i8 {
  int kernel; /* columns */
  int height; /* quads per column */
  int stride;
  int max_exact_terms;
  et_form_i8 form;
} et_shape_i8;

/* Adds the products of one quad per column of a window. A quad has two words in ET_FORM_WIDE, else
 * one. */
ET_INLINE et_i32 et_add_quads_i8(et_i32 sum, const et_i8 *x, const et_i8 *taps,
                                 const et_shape_i8 *of) {
#if ET_SUMS_OF_16
  if (of->form == ET_FORM_WIDE) {
    ET_UNROLL for (int i = 0; i < 2 * of->kernel; i++) {
      sum = et_i32_dot2(sum, (et_i16)x[i], (et_i16)taps[i]);
    }
    return sum;
  }
  et_i16 more = {0};
  ET_UNROLL for (int i = 0; i < of->kernel; i++) {
    more = et_i16_dot2(more, x[i], taps[i]);
    if (i % of->max_exact_terms == of->max_exact_terms - 1 ||
        i == of->kernel - 1) {
      sum = et_i32_add2(sum, more);
      more = (et_i16){0};
    }
  }
#else
  ET_UNROLL for (int i = 0; i < of->kernel; i++) {
    sum = et_i32_dot4(sum, x[i], taps[i]);
  }
#endif
  return sum;
}

/* Adds quad `q` of all columns to vector `v` of the accumulators. A column is loaded once for all
 * windows that contain it. */
ET_INLINE void et_add_columns_i8(const et_span_i8 *s, const et_word_i8 *x,
                                 const et_shape_i8 *of, int q, int v,
                                 et_i32 (*sums)[ET_ROUNDED]) {
  const int words = of->form == ET_FORM_WIDE ? 2 : 1;
  const int step = of->height * words;
  et_i8 columns[ET_MAX_SHARED * ET_MAX_WORDS];
  et_i8 taps[5 * ET_MAX_WORDS];
  ET_UNROLL for (int c = 0; c < (ET_SPAN_PIXELS - 1) * of->stride + of->kernel;
                 c++) {
    ET_UNROLL for (int w = 0; w < words; w++) {
      columns[c * words + w] = x[c * step + q * words + w].of[v];
    }
  }
  ET_UNROLL for (int c = 0; c < of->kernel; c++) {
    ET_UNROLL for (int w = 0; w < words; w++) {
      taps[c * words + w] = s->taps[c * step + q * words + w].of[v];
    }
  }
  ET_UNROLL for (int p = 0; p < ET_SPAN_PIXELS; p++) {
    sums[p][v] =
        et_add_quads_i8(sums[p][v], columns + p * of->stride * words, taps, of);
  }
}

/* Computes `count` pixels, at least ET_SPAN_PIXELS. The last group may recompute pixels of
 * the previous group. */
ET_INLINE void et_sum_groups_i8(const et_span_i8 *s, const et_word_i8 *x,
                                size_t count, et_shape_i8 of, size_t at) {
  const size_t step =
      (size_t)(of.stride * of.height * (of.form == ET_FORM_WIDE ? 2 : 1));
  const et_requantization_i8 m = s->requantization;
  for (size_t i = 0; i < count; i += ET_SPAN_PIXELS) {
    const size_t first =
        i + ET_SPAN_PIXELS <= count ? i : count - ET_SPAN_PIXELS;
    et_i32 sums[ET_SPAN_PIXELS][ET_ROUNDED];
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      ET_UNROLL for (int p = 0; p < ET_SPAN_PIXELS; p++) {
        sums[p][v] = s->start[v];
      }
      ET_UNROLL for (int q = 0; q < of.height; q++) {
        et_add_columns_i8(s, x + first * step, &of, q, v, sums);
      }
    }
    ET_UNROLL for (size_t p = 0; p < ET_SPAN_PIXELS; p++) {
      et_put_pixel_i8(s, &m, sums[p],
                      at + (first + p) * s->depthwise->channels);
    }
  }
}

/* Computes the pixels if windows have the given shape; otherwise, returns false. `of.stride` is
 * replaced with the stride of the window, which is 1 or 2. */
ET_INLINE bool et_sum_shape_i8(const et_span_i8 *s, const et_word_i8 *x,
                               size_t count, et_shape_i8 of, size_t at) {
  const et_cpu_window *w = &s->depthwise->window;
  if (w->kernel_x != (size_t)of.kernel || s->height != (size_t)of.height) {
    return false;
  }
  if (w->stride_x == 1) {
    of.stride = 1;
    et_sum_groups_i8(s, x, count, of, at);
  } else {
    of.stride = 2;
    et_sum_groups_i8(s, x, count, of, at);
  }
  return true;
}

/* Computes the pixels if windows are 3 x 3, or 5 x 5 with exact dot products of quads; otherwise,
 * returns false. */
ET_NOINLINE bool et_sum_some_groups_i8(const et_span_i8 *s, const et_word_i8 *x,
                                       size_t count, size_t at) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t stride = w->dilation_x == 1 ? w->stride_x : 0;
  if (count < ET_SPAN_PIXELS || stride < 1 || stride > 2) {
    return false;
  }
#if ET_SUMS_OF_16
  if (s->form == ET_FORM_WIDE) {
    return et_sum_shape_i8(s, x, count, (et_shape_i8){3, 1, 0, 1, ET_FORM_WIDE},
                           at);
  }
  if (s->depthwise->max_exact_terms >= 3) {
    return et_sum_shape_i8(s, x, count,
                           (et_shape_i8){3, 1, 0, 3, ET_FORM_NARROW}, at);
  }
  return et_sum_shape_i8(s, x, count, (et_shape_i8){3, 1, 0, 1, ET_FORM_NARROW},
                         at);
#else
  return (!ET_HAS_SLIDE &&
          et_sum_shape_i8(s, x, count, (et_shape_i8){3, 1, 0, 1, ET_FORM_EXACT},
                          at)) ||
         et_sum_shape_i8(s, x, count, (et_shape_i8){5, 2, 0, 1, ET_FORM_EXACT},
                         at);
#endif
}

static void et_sum_any_pixels_i8(const et_span_i8 *s, const et_word_i8 *x,
                                 size_t count, size_t at) {
  const size_t step = s->depthwise->window.stride_x * s->height;
  if (et_sum_some_groups_i8(s, x, count, at)) {
    return;
  }
#if ET_SUMS_OF_16
  if (s->form == ET_FORM_WIDE) {
    et_sum_pixels_i8(s, x, 2 * step, count, ET_FORM_WIDE, at);
    return;
  }
#endif
  et_sum_pixels_i8(s, x, step, count, ET_FORM_NARROW, at);
}

/* Returns the number of pixels whose columns are buffered at once; 1 if taps are dilated. */
static size_t et_pixels_at_once_i8(const et_span_i8 *s) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t free_columns = ET_MAX_QUADS / s->height - w->kernel_x;
  return w->dilation_x == 1 ? free_columns / w->stride_x + 1 : 1;
}

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_WINDOWS_QS8_H_ */
