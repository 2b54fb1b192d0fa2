#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/simd/requantize.h"

/* Channels that are worked on together, whose sums are bytes at once. */
#define VECTORS ET_ROUNDED
#define CHANNELS (VECTORS * ET_CPU_LANES)
#define PANELS (CHANNELS / ET_PANEL)

/* Pixels whose sums have registers, as have the columns that they share. */
#if defined(ET_CPU_ISA_AVX512) || defined(ET_CPU_ISA_NEON)
#define PIXELS 4
#else
#define PIXELS 2
#endif

/* Whether registers hold sums of three pixels and all taps of a window. */
#if defined(ET_CPU_ISA_AVX512)
#define SLIDES 1
#else
#define SLIDES 0
#endif

/* Rows of the output that are worked on together, where channels leave room. */
#define MOST_BANDS ET_U8_MOST_PARTS

/* Rows of the image below a window's rows, four at a time. */
#define MOST_ROWS ET_CPU_DEPTHWISE_TAPS_I8
#define MOST_TAPS ET_CPU_DEPTHWISE_TAPS_I8
/* Columns of windows of five, two apart, of as many pixels. */
#define MOST_SHARED (2 * (PIXELS - 1) + 5)
/* Quads of columns that are kept: those of a window at least, as a column of n
 * taps has at most n. */
#define MOST_QUADS 96

_Static_assert(PANELS == ET_U8_MOST_PARTS, "a panel is a part");
_Static_assert(MOST_QUADS >= MOST_TAPS, "a window fits");
_Static_assert(MOST_ROWS % 4 == 0, "rows come in quads");
_Static_assert(ET_CPU_DEPTHWISE_CHANNELS_I8 % CHANNELS == 0, "all are done");

/* How products are added up. */
typedef enum form {
  EXACT,  /* four bytes to an int32 */
  NARROW, /* as int16, so many quads at a time: what does not saturate */
  WIDE,   /* int16 to int32 */
} form;

#if ET_SUMS_OF_16
#define MOST_WORDS 2
#else
#define MOST_WORDS 1
#endif

/* Four bytes of each channel, or two of them as int16: channels 4v to 4v + 3 of
 * each 16 in vector v. */
typedef struct word {
  et_i8 of[VECTORS];
} word;

/* What makes bytes of sums. */
typedef struct making {
  et_f32 scale[VECTORS];
  et_f32 bias[VECTORS];
  et_rounder rounder;
} making;

/* A row of the image, or what lies beyond it. */
typedef struct line {
  const uint8_t *from;
  size_t step; /* to the next pixel */
} line;

/* Some channels along rows of the output: along several where there are so few that
 * a word has room for as many bands of them. */
typedef struct strip {
  const et_cpu_depthwise_i8 *depthwise;
  form form;
  size_t first_channel;
  size_t bands;
  size_t count;  /* channels of a band, at most CHANNELS / bands */
  size_t height; /* quads of a column */
  line rows[MOST_BANDS][MOST_ROWS];
  const uint8_t *end; /* of what may be read of the image */
  bool is_near_end;   /* vectors of these rows may reach beyond it */
  uint8_t *out[MOST_BANDS];
  word taps[MOST_TAPS * MOST_WORDS]; /* [kernel_x][height][words] */
  et_i32 start[VECTORS];
  making making;
  bool is_far; /* as that of an et_requantizer */
  et_u8 zero;
  et_u8 shift; /* what is added to bytes */
} strip;

/* A column of four rows of the image, of each band, and how it moves to the next. */
typedef struct column {
  const uint8_t *from[4][MOST_BANDS];
  size_t step[4][MOST_BANDS];
} column;

/* What is read of a row: the channels of a band, and what lies behind them where
 * that may be read as well. */
ET_APART const uint8_t *near_end(const strip *s, const uint8_t *from,
                                 size_t part, uint8_t *copy) {
  return (uintptr_t)from + part <= (uintptr_t)s->end
             ? from
             : memcpy(copy, from, s->count);
}

/* Row `row` of a column. */
ET_INLINE et_u8 load(const strip *s, const column *at, int row, size_t bands) {
  const size_t part = CHANNELS / bands;
  uint8_t copy[CHANNELS];
  const uint8_t *from[MOST_BANDS];
  ET_UNROLL for (size_t b = 0; b < bands; b++) {
    from[b] = at->from[row][b];
    if (s->is_near_end) {
      from[b] = near_end(s, from[b], part, copy + b * part);
    }
  }
  return et_u8_joined(from, (int)bands);
}

/* Bytes 0 and 2 of each quad as int16, then 1 and 3. */
ET_INLINE void widen(const et_i8 *quads, bool is_signed, word *to) {
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    const et_i16 both = (et_i16)quads[v];
    to[0].of[v] = (et_i8)(is_signed ? both << 8 >> 8 : both & 255);
    to[1].of[v] = (et_i8)(is_signed ? both >> 8 : (both >> 8) & 255);
  }
}

/* Four rows as quads. */
ET_INLINE void put_quads(const et_u8 *bytes, form f, word *to) {
  et_i8 quads[VECTORS];
  et_i8_quads(bytes, quads);
  if (f == WIDE) {
    widen(quads, false, to);
    return;
  }
  ET_UNROLL for (int v = 0; v < VECTORS; v++) { to[0].of[v] = quads[v]; }
}

/* Of columns outside of the image. */
ET_INLINE word *put_outside(const strip *s, size_t columns, size_t step, form f,
                            word *to) {
  const et_u8 bytes = s->zero + s->shift;
  const et_u8 all[4] = {bytes, bytes, bytes, bytes};
  for (size_t c = 0; c < columns; c++, to += step) {
    put_quads(all, f, to);
  }
  return to;
}

/* Rows from `first` on of column `x`, which lies in the image. */
ET_INLINE column column_at(const strip *s, size_t first, size_t x) {
  column at = {0};
  for (size_t i = 0; i < 4; i++) {
    for (size_t b = 0; b < s->bands; b++) {
      const line *row = &s->rows[b][first + i];
      at.from[i][b] = row->from + x * row->step;
      at.step[i][b] = s->depthwise->window.dilation_x * row->step;
    }
  }
  return at;
}

/* Of columns in the image from `x` on. A fourth row whose taps are 0 is not read:
 * `rows`, of a column, and `bands` are constants. */
ET_INLINE word *put_inside(const strip *s, column at, size_t columns, int rows,
                           size_t bands, size_t step, form f, word *to) {
  const et_u8 shift = s->shift;
  for (size_t c = 0; c < columns; c++, to += step) {
    et_u8 bytes[4] = {{0}};
    ET_UNROLL for (int i = 0; i < rows; i++) {
      bytes[i] = load(s, &at, i, bands) + shift;
      ET_UNROLL for (size_t b = 0; b < bands; b++) {
        at.from[i][b] += at.step[i][b];
      }
    }
    put_quads(bytes, f, to);
  }
  return to;
}

/* Columns of the image, and those before and behind it. */
typedef struct columns_of_row {
  size_t before;
  size_t first; /* inside */
  size_t inside;
  size_t behind;
} columns_of_row;

/* `columns` from `x` on, which may be negative. */
static columns_of_row find_columns(const et_cpu_window *w, size_t x,
                                   size_t columns) {
  columns_of_row found = {0, x, 0, 0};
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

/* Each column is used by the windows of several pixels. */
ET_INLINE void put_columns(const strip *s, const columns_of_row *of, int rows,
                           size_t bands, form f, word *to) {
  const size_t words = f == WIDE ? 2 : 1;
  const size_t step = s->height * words;
  for (size_t q = 0; q < s->height; q++, to += words) {
    word *next = put_outside(s, of->before, step, f, to);
    if (of->inside > 0) {
      next = put_inside(s, column_at(s, 4 * q, of->first), of->inside, rows,
                        bands, step, f, next);
    }
    put_outside(s, of->behind, step, f, next);
  }
}

ET_INLINE void put_columns_of(const strip *s, const columns_of_row *of,
                              size_t bands, form f, word *to) {
  if (!SLIDES && s->depthwise->window.kernel_y == 3) {
    put_columns(s, of, 3, bands, f, to);
  } else {
    put_columns(s, of, 4, bands, f, to);
  }
}

ET_INLINE void put_columns_in(const strip *s, const columns_of_row *of, form f,
                              word *to) {
#if MOST_BANDS > 2
  if (s->bands == 4) {
    put_columns_of(s, of, 4, f, to);
    return;
  }
#endif
#if MOST_BANDS > 1
  if (s->bands == 2) {
    put_columns_of(s, of, 2, f, to);
    return;
  }
#endif
  put_columns_of(s, of, 1, f, to);
}

static void put_any_columns(const strip *s, size_t x, size_t columns,
                            word *to) {
  const columns_of_row of = find_columns(&s->depthwise->window, x, columns);
#if ET_SUMS_OF_16
  if (s->form == WIDE) {
    put_columns_in(s, &of, WIDE, to);
    return;
  }
#endif
  put_columns_in(s, &of, EXACT, to);
}

#if ET_SUMS_OF_16
ET_INLINE void add_narrow(const word *x, const word *taps, size_t quads,
                          size_t together, et_i32 *sums) {
  for (size_t q = 0; q < quads; q += together) {
    const size_t end = quads - q < together ? quads : q + together;
    et_i16 more[VECTORS] = {{0}};
    for (size_t i = q; i < end; i++) {
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        more[v] = et_i16_dot2(more[v], x[i].of[v], taps[i].of[v]);
      }
    }
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[v] = et_i32_add2(sums[v], more[v]);
    }
  }
}

ET_INLINE void add_wide(const word *x, const word *taps, size_t quads,
                        et_i32 *sums) {
  for (size_t i = 0; i < 2 * quads; i++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[v] = et_i32_dot2(sums[v], (et_i16)x[i].of[v], (et_i16)taps[i].of[v]);
    }
  }
}
#else
ET_INLINE void add_exact(const word *x, const word *taps, size_t quads,
                         et_i32 *sums) {
  for (size_t i = 0; i < quads; i++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[v] = et_i32_dot4(sums[v], x[i].of[v], taps[i].of[v]);
    }
  }
}
#endif

ET_INLINE void add_window(const strip *s, const word *x, size_t quads,
                          size_t together, form f, et_i32 *sums) {
#if ET_SUMS_OF_16
  if (f == WIDE) {
    add_wide(x, s->taps, quads, sums);
  } else {
    add_narrow(x, s->taps, quads, together, sums);
  }
#else
  (void)together;
  (void)f;
  add_exact(x, s->taps, quads, sums);
#endif
}

ET_APART void put_few(uint8_t *to, const uint8_t *bytes, size_t count) {
  et_copy_few(to, bytes, count, CHANNELS);
}

/* A pixel of all bands, at byte `at` of their rows. */
ET_INLINE void put_pixel(const strip *s, const making *m, const et_i32 *sums,
                         size_t at) {
  et_f32 steps[VECTORS];
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    steps[v] = et_steps_of(sums[v], m->scale[v], m->bias[v]);
  }
  const et_u8 bytes = et_rounded(&m->rounder, steps, true);
  if (s->count == CHANNELS) {
    memcpy(s->out[0] + at, &bytes, CHANNELS);
    return;
  }
  const size_t part = CHANNELS / s->bands;
  const uint8_t *from = (const uint8_t *)&bytes;
  for (size_t b = 0; b < s->bands; b++, from += part) {
    if (s->count == CHANNELS / 2) {
      memcpy(s->out[b] + at, from, CHANNELS / 2);
    } else {
      put_few(s->out[b] + at, from, s->count);
    }
  }
}

/* `count` pixels of any window, whose columns begin `step` words after each other. */
ET_INLINE void sum_pixels(const strip *s, const word *x, size_t step,
                          size_t count, form f, size_t at) {
  const size_t quads = s->height * s->depthwise->window.kernel_x;
  const making m = s->making;
  for (size_t i = 0; i < count; i++, x += step, at += s->depthwise->channels) {
    et_i32 sums[VECTORS];
    memcpy(sums, s->start, sizeof(sums));
    add_window(s, x, quads, s->depthwise->together, f, sums);
    put_pixel(s, &m, sums, at);
  }
}

/* What windows look like whose sums are in registers, of PIXELS at a time: all of
 * it is constant. */
typedef struct shape {
  int kernel; /* columns */
  int height; /* quads of a column */
  int stride;
  int together;
  form form;
} shape;

/* One quad of each column of a window, or two words of it. */
ET_INLINE et_i32 add_quads(et_i32 sum, const et_i8 *x, const et_i8 *taps,
                           const shape *of) {
#if ET_SUMS_OF_16
  if (of->form == WIDE) {
    ET_UNROLL for (int i = 0; i < 2 * of->kernel; i++) {
      sum = et_i32_dot2(sum, (et_i16)x[i], (et_i16)taps[i]);
    }
    return sum;
  }
  et_i16 more = {0};
  ET_UNROLL for (int i = 0; i < of->kernel; i++) {
    more = et_i16_dot2(more, x[i], taps[i]);
    if (i % of->together == of->together - 1 || i == of->kernel - 1) {
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

/* Adds quad `q` of all columns to vector `v` of the sums: a column is loaded once
 * for all windows that it is in. */
ET_INLINE void add_columns(const strip *s, const word *x, const shape *of,
                           int q, int v, et_i32 (*sums)[VECTORS]) {
  const int words = of->form == WIDE ? 2 : 1;
  const int step = of->height * words;
  et_i8 columns[MOST_SHARED * MOST_WORDS];
  et_i8 taps[5 * MOST_WORDS];
  ET_UNROLL for (int c = 0; c < (PIXELS - 1) * of->stride + of->kernel; c++) {
    ET_UNROLL for (int w = 0; w < words; w++) {
      columns[c * words + w] = x[c * step + q * words + w].of[v];
    }
  }
  ET_UNROLL for (int c = 0; c < of->kernel; c++) {
    ET_UNROLL for (int w = 0; w < words; w++) {
      taps[c * words + w] = s->taps[c * step + q * words + w].of[v];
    }
  }
  ET_UNROLL for (int p = 0; p < PIXELS; p++) {
    sums[p][v] =
        add_quads(sums[p][v], columns + p * of->stride * words, taps, of);
  }
}

/* At least PIXELS of them: the last ones may be computed again. */
ET_INLINE void sum_groups(const strip *s, const word *x, size_t count, shape of,
                          size_t at) {
  const size_t step =
      (size_t)(of.stride * of.height * (of.form == WIDE ? 2 : 1));
  const making m = s->making;
  for (size_t i = 0; i < count; i += PIXELS) {
    const size_t first = i + PIXELS <= count ? i : count - PIXELS;
    et_i32 sums[PIXELS][VECTORS];
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      ET_UNROLL for (int p = 0; p < PIXELS; p++) { sums[p][v] = s->start[v]; }
      ET_UNROLL for (int q = 0; q < of.height; q++) {
        add_columns(s, x + first * step, &of, q, v, sums);
      }
    }
    ET_UNROLL for (size_t p = 0; p < PIXELS; p++) {
      put_pixel(s, &m, sums[p], at + (first + p) * s->depthwise->channels);
    }
  }
}

/* Windows of 3 x 3, and where products of bytes are exact of 5 x 5. */
static bool sum_some_groups(const strip *s, const word *x, size_t count,
                            size_t at) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t stride = w->dilation_x == 1 ? w->stride_x : 0;
  if (count < PIXELS || stride < 1 || stride > 2) {
    return false;
  }
#define GROUPS(columns, quads, narrow, how)                                 \
  if (w->kernel_x == (columns) && s->height == (quads)) {                   \
    if (stride == 1) {                                                      \
      sum_groups(s, x, count, (shape){columns, quads, 1, narrow, how}, at); \
    } else {                                                                \
      sum_groups(s, x, count, (shape){columns, quads, 2, narrow, how}, at); \
    }                                                                       \
    return true;                                                            \
  }
#if ET_SUMS_OF_16
  if (s->form == WIDE) {
    GROUPS(3, 1, 1, WIDE)
  } else if (s->depthwise->together >= 3) {
    GROUPS(3, 1, 3, NARROW)
  } else {
    GROUPS(3, 1, 1, NARROW)
  }
#else
  if (!SLIDES) {
    GROUPS(3, 1, 1, EXACT)
  }
  GROUPS(5, 2, 1, EXACT)
#endif
#undef GROUPS
  return false;
}

static void sum_any_pixels(const strip *s, const word *x, size_t count,
                           size_t at) {
  const size_t step = s->depthwise->window.stride_x * s->height;
  if (sum_some_groups(s, x, count, at)) {
    return;
  }
#if ET_SUMS_OF_16
  if (s->form == WIDE) {
    sum_pixels(s, x, 2 * step, count, WIDE, at);
    return;
  }
#endif
  sum_pixels(s, x, step, count, NARROW, at);
}

/* Pixels whose columns are kept at once: of far apart taps one. */
static size_t pixels_at_once(const strip *s) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t room = MOST_QUADS / s->height - w->kernel_x;
  return w->dilation_x == 1 ? room / w->stride_x + 1 : 1;
}

#if SLIDES
/* What pixels of windows of 3 x 3 share while a row is computed from left to right. */
typedef struct slide {
  const strip *strip;
  column at; /* of the next column in the image */
  size_t x;  /* of the next column, may wrap */
  et_i8 outside[VECTORS];
  making making;
  bool is_far;
} slide;

/* The next column, as quads. */
ET_INLINE void next_column(slide *slide, size_t bands, et_i8 *quads) {
  const strip *s = slide->strip;
  const size_t x = slide->x++;
  if (x >= s->depthwise->window.width) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      quads[v] = slide->outside[v];
    }
    return;
  }
  et_u8 bytes[4] = {{0}};
  ET_UNROLL for (int i = 0; i < 3; i++) {
    bytes[i] = et_u8_joined(slide->at.from[i], (int)bands) + s->shift;
    ET_UNROLL for (size_t b = 0; b < bands; b++) {
      slide->at.from[i][b] += slide->at.step[i][b];
    }
  }
  et_i8_quads(bytes, quads);
}

ET_INLINE void add_column(et_i32 *sums, const et_i8 *quads, const et_i8 *taps) {
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    sums[v] = et_i32_dot4(sums[v], quads[v], taps[v]);
  }
}

/* A pixel of all bands, whose number is constant. */
ET_INLINE void put_bands(const slide *slide, const et_i32 *sums, size_t bands,
                         size_t at) {
  const strip *s = slide->strip;
  et_f32 steps[VECTORS];
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    steps[v] =
        et_steps_of(sums[v], slide->making.scale[v], slide->making.bias[v]);
  }
  const et_u8 bytes = et_rounded(&slide->making.rounder, steps, slide->is_far);
  ET_UNROLL for (size_t b = 0; b < bands; b++) {
    uint8_t *to = s->out[b] + at;
    if (s->count == CHANNELS / bands) {
      et_u8_store_part(to, bytes, (int)b, (int)bands);
    } else {
      et_u8_store_some(to, bytes, (int)b, (int)bands, s->count);
    }
  }
}

/* Each column is made quads once, and added to the pixels that it is below: sums of
 * those to the right wait in registers. */
ET_INLINE void slide_row(const strip *s, size_t bands, size_t stride) {
  const et_cpu_depthwise_i8 *d = s->depthwise;
  slide slide = {.strip = s, .x = -d->window.left, .making = s->making};
  et_i32 sums[3][VECTORS]; /* of the next pixels */
  et_i8 quads[VECTORS];
  slide.at = column_at(s, 0, 0);
  slide.is_far = s->is_far;
  {
    const et_u8 byte = s->zero + s->shift;
    const et_u8 all[4] = {byte, byte, byte, byte};
    et_i8_quads(all, slide.outside);
  }
  et_i8 taps[3][VECTORS];
  ET_UNROLL for (int i = 0; i < 3; i++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      taps[i][v] = s->taps[i].of[v];
      ET_PIN(taps[i][v]);
    }
  }
  memcpy(sums[0], s->start, sizeof(sums[0]));
  next_column(&slide, bands, quads);
  add_column(sums[0], quads, taps[0]);
  if (stride == 1) {
    next_column(&slide, bands, quads);
    add_column(sums[0], quads, taps[1]);
    memcpy(sums[1], s->start, sizeof(sums[1]));
    add_column(sums[1], quads, taps[0]);
  }
  for (size_t p = 0; p < d->window.out_width; p++) {
    if (stride == 2) {
      next_column(&slide, bands, quads);
      add_column(sums[0], quads, taps[1]);
    }
    next_column(&slide, bands, quads);
    add_column(sums[0], quads, taps[2]);
    put_bands(&slide, sums[0], bands, p * d->channels);
    ET_UNROLL for (int v = 0; v < VECTORS; v++) { sums[2][v] = s->start[v]; }
    add_column(sums[2], quads, taps[0]);
    if (stride == 1) {
      add_column(sums[1], quads, taps[1]);
      ET_UNROLL for (int v = 0; v < VECTORS; v++) { sums[0][v] = sums[1][v]; }
    }
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[stride == 1 ? 1 : 0][v] = sums[2][v];
    }
  }
}

#define SLIDE(bands_, stride_)                                              \
  if (s->bands == (bands_) && s->depthwise->window.stride_x == (stride_)) { \
    slide_row(s, bands_, stride_);                                          \
    return true;                                                            \
  }
static bool slide_any_row(const strip *s) {
  const et_cpu_window *w = &s->depthwise->window;
  if (w->kernel_x != 3 || w->kernel_y != 3 || w->dilation_x != 1 ||
      s->is_near_end) {
    return false;
  }
  SLIDE(1, 1)
  SLIDE(1, 2) SLIDE(2, 1) SLIDE(2, 2) SLIDE(4, 1) SLIDE(4, 2) return false;
}
#undef SLIDE
#endif

/* A row of the output of each band. */
static void run_row(const strip *s) {
#if SLIDES
  if (slide_any_row(s)) {
    return;
  }
#endif
  const et_cpu_window *w = &s->depthwise->window;
  word columns[MOST_QUADS * MOST_WORDS];
  const size_t most = pixels_at_once(s);
  const size_t parts = (w->out_width + most - 1) / most;
  for (size_t i = 0; i < parts; i++) {
    const size_t first = w->out_width * i / parts;
    const size_t count = w->out_width * (i + 1) / parts - first;
    put_any_columns(s, first * w->stride_x - w->left,
                    (count - 1) * w->stride_x + w->kernel_x, columns);
    sum_any_pixels(s, columns, count, first * s->depthwise->channels);
  }
}

/* Row `row` of the output as band `band`, with the rows of the image below it;
 * those of no tap add 0. */
static void find_row(strip *s, size_t band, size_t row) {
  const et_cpu_depthwise_i8 *d = s->depthwise;
  const et_cpu_window *w = &d->window;
  const size_t length = w->width * d->channels;
  const uint8_t *image = d->x.data + row / w->out_height * w->height * length;
  size_t y = row % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < 4 * s->height; i++, y += w->dilation_y) {
    const bool inside = i < w->kernel_y && y < w->height;
    s->rows[band][i] =
        inside ? (line){image + y * length + s->first_channel, d->channels}
               : (line){(const uint8_t *)&s->zero, 0};
  }
  s->out[band] = d->out + row * w->out_width * d->channels + s->first_channel;
}

/* Whether a vector may reach beyond the image from the rows of the last band. */
static bool is_near_end(const strip *s) {
  const et_cpu_depthwise_i8 *d = s->depthwise;
  const size_t length = d->window.width * d->channels;
  const size_t part = CHANNELS / s->bands;
  bool near = false;
  if (s->count == part) {
    return false;
  }
  for (size_t b = 0; b < s->bands; b++) {
    for (size_t i = 0; i < 4 * s->height; i++) {
      const line *row = &s->rows[b][i];
      near |=
          row->step != 0 && (uintptr_t)row->from + length - d->channels + part >
                                (uintptr_t)s->end;
    }
  }
  return near;
}

/* Where rows are fewer than bands, the last one is computed several times. */
static void run_rows(strip *s, const et_cpu_rows_i8 *rows) {
  for (size_t i = 0; i < rows->rows; i += s->bands) {
    for (size_t b = 0; b < s->bands; b++) {
      const size_t row = i + b < rows->rows ? i + b : rows->rows - 1;
      find_row(s, b, rows->first_row + row);
    }
    s->is_near_end = is_near_end(s);
    run_row(s);
  }
}

/* What panels have 64 bytes of each, `stride` bytes apart, as channels are in
 * words, the same for each band; 0 where there is no panel. */
static void put_panels(const strip *s, const void *panels, size_t stride,
                       void *to) {
  static const uint8_t none[VECTORS * 16];
  const size_t count = (s->count + ET_PANEL - 1) / ET_PANEL;
  const size_t places = PANELS / s->bands; /* of a band */
  const uint8_t *from[PANELS];
  for (size_t p = 0; p < PANELS; p++) {
    from[p] = p % places < count ? (const uint8_t *)panels + p % places * stride
                                 : none;
  }
  ET_UNROLL for (size_t v = 0; v < VECTORS; v++) {
    const et_u8 joined = et_u8_joined(from, PANELS);
    memcpy((uint8_t *)to + v * sizeof(joined), &joined, sizeof(joined));
    for (size_t p = 0; p < PANELS; p++) {
      from[p] += 16;
    }
  }
}

static void read_taps(strip *s) {
  const size_t quads = s->height * s->depthwise->window.kernel_x;
  const int8_t *from = s->depthwise->taps + s->first_channel * quads * 4;
  for (size_t q = 0; q < quads; q++, from += 4 * ET_PANEL) {
    word taps;
    put_panels(s, from, quads * 4 * ET_PANEL, &taps);
#if ET_SUMS_OF_16
    if (s->form == WIDE) {
      widen(taps.of, true, s->taps + 2 * q);
      continue;
    }
#endif
    s->taps[q] = taps;
  }
}

/* Among the numbers, or among the sums. */
static void read_biases(strip *s, et_f32 inverse) {
  const et_cpu_columns_i8 *columns = &s->depthwise->of_columns;
  const size_t panel = ET_PANEL * sizeof(float);
  if (columns->start != NULL) {
    et_i32 starts[VECTORS];
    put_panels(s, columns->start + s->first_channel, panel, starts);
    for (int v = 0; v < VECTORS; v++) {
      s->start[v] += et_start_bias(starts[v]);
      s->making.bias[v] = et_f32_all(0.0f);
    }
    return;
  }
  put_panels(s, columns->bias + s->first_channel, panel, s->making.bias);
  for (int v = 0; v < VECTORS; v++) {
    s->making.bias[v] *= inverse;
  }
}

static void read_columns(strip *s, int32_t shift) {
  const et_cpu_depthwise_i8 *d = s->depthwise;
  const size_t panel = ET_PANEL * sizeof(float);
  const et_f32 inverse = et_f32_all(d->quantizing.inverse);
  put_panels(s, d->of_columns.sums + s->first_channel, panel, s->start);
  put_panels(s, d->of_columns.scale + s->first_channel, panel, s->making.scale);
  for (int v = 0; v < VECTORS; v++) {
    s->start[v] = et_start_of(s->start[v], d->x.zero_point + shift);
    s->making.scale[v] *= inverse;
  }
  read_biases(s, inverse);
  et_i32 far = et_i32_all(0);
  for (int v = 0; v < VECTORS; v++) {
    far |= et_far_lanes(s->making.scale[v], s->making.bias[v]);
  }
  s->is_far = et_i32_any(far);
}

/* Small elements keep sums of int16 from saturating; else all there may be are
 * made unsigned, or signed. */
static int32_t shift_of(const et_cpu_depthwise_i8 *d, form f) {
  return f == NARROW ? -d->lowest : ET_DOT4_SHIFT - (d->x.is_signed ? 0 : 128);
}

static form form_of(const et_cpu_depthwise_i8 *d) {
#if ET_SUMS_OF_16
  return d->together >= 1 ? NARROW : WIDE;
#else
  (void)d;
  return EXACT;
#endif
}

static void begin(strip *s, const et_cpu_depthwise_i8 *depthwise) {
  s->depthwise = depthwise;
  s->form = form_of(depthwise);
  s->height = (depthwise->window.kernel_y + 3) / 4;
  s->making.rounder = et_rounder_of(&depthwise->quantizing);
  memset(&s->zero, (uint8_t)depthwise->x.zero_point, sizeof(s->zero));
  s->end = depthwise->x.data + depthwise->x.size;
}

static void to_channels(strip *s, size_t first) {
  const size_t left = s->depthwise->channels - first;
  const int32_t shift = shift_of(s->depthwise, s->form);
  s->first_channel = first;
  s->count = left < CHANNELS ? left : CHANNELS;
  s->bands = 1;
  while (2 * s->bands <= MOST_BANDS && 2 * s->bands * s->count <= CHANNELS) {
    s->bands *= 2;
  }
  memset(&s->shift, (uint8_t)shift, sizeof(s->shift));
  read_taps(s);
  read_columns(s, shift);
}

void ET_CPU_NAME(et_cpu_depthwise_i8)(const et_cpu_depthwise_i8 *depthwise,
                                      const et_cpu_rows_i8 *rows) {
  const size_t end = rows->first_channel + ET_CPU_DEPTHWISE_CHANNELS_I8;
  strip s;
  begin(&s, depthwise);
  for (size_t channel = rows->first_channel;
       channel < end && channel < depthwise->channels; channel += CHANNELS) {
    to_channels(&s, channel);
    run_rows(&s, rows);
  }
}
