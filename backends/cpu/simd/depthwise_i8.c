#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/simd/requantize.h"

/* Channels that are worked on together, whose sums are bytes at once. */
#define VECTORS ET_ROUNDED
#define CHANNELS (VECTORS * ET_CPU_LANES)

/* Rows of the image below a window's rows, four at a time. */
#define MOST_ROWS ET_CPU_DEPTHWISE_TAPS_I8
#define MOST_TAPS ET_CPU_DEPTHWISE_TAPS_I8
/* Quads of columns that are kept: those of a window at least, as a column of n
 * taps has at most n. */
#define MOST_QUADS 96

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

/* A row of the image, or what lies beyond it. */
typedef struct line {
  const uint8_t *from;
  const uint8_t *end; /* of what may be read */
  size_t step;        /* to the next pixel */
} line;

/* Some channels along rows of the output. */
typedef struct strip {
  const et_cpu_depthwise_i8 *depthwise;
  form form;
  size_t first_channel;
  size_t count;  /* channels, at most CHANNELS */
  size_t height; /* quads of a column */
  line rows[MOST_ROWS];
  line beyond[4];                    /* rows of a column outside of the image */
  word taps[MOST_TAPS * MOST_WORDS]; /* [kernel_x][height][words] */
  et_i32 start[VECTORS];
  et_f32 scale[VECTORS];
  et_f32 bias[VECTORS];
  et_rounder rounder;
  et_u8 zero;
  et_u8 shift; /* what is added to bytes */
} strip;

/* Pixel `x` of a row. */
ET_INLINE et_u8 load(const strip *s, const line *row, size_t x) {
  const uint8_t *from = row->from + x * row->step;
  et_u8 bytes = {0};
  if (s->count == CHANNELS ||
      (uintptr_t)from + CHANNELS <= (uintptr_t)row->end) {
    memcpy(&bytes, from, sizeof(bytes));
  } else {
    memcpy(&bytes, from, s->count);
  }
  return bytes;
}

/* Bytes 0 and 2 of each quad as int16, then 1 and 3. */
ET_INLINE void widen(const et_i8 *quads, bool is_signed, word *to) {
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    const et_i16 both = (et_i16)quads[v];
    to[0].of[v] = (et_i8)(is_signed ? both << 8 >> 8 : both & 255);
    to[1].of[v] = (et_i8)(is_signed ? both >> 8 : (both >> 8) & 255);
  }
}

/* Four rows of a column. */
ET_INLINE void put_quads(const strip *s, const line *rows, size_t x, form f,
                         word *to) {
  et_u8 bytes[4];
  et_i8 quads[VECTORS];
  ET_UNROLL for (int i = 0; i < 4; i++) {
    bytes[i] = load(s, rows + i, x) + s->shift;
  }
  et_i8_quads(bytes, quads);
  if (f == WIDE) {
    widen(quads, false, to);
    return;
  }
  ET_UNROLL for (int v = 0; v < VECTORS; v++) { to[0].of[v] = quads[v]; }
}

/* `columns` columns from `x` on, which may be negative, as quads of rows. Each
 * is used by the windows of several pixels. `height` may be a constant. */
ET_INLINE void put_columns(const strip *s, size_t x, size_t columns,
                           size_t height, form f, word *to) {
  const et_cpu_window *w = &s->depthwise->window;
  for (size_t c = 0; c < columns; c++, x += w->dilation_x) {
    const bool inside = x < w->width;
    for (size_t q = 0; q < height; q++, to += f == WIDE ? 2 : 1) {
      put_quads(s, inside ? s->rows + 4 * q : s->beyond, x, f, to);
    }
  }
}

static void put_any_columns(const strip *s, size_t x, size_t columns,
                            word *to) {
#if ET_SUMS_OF_16
  if (s->form == WIDE) {
    put_columns(s, x, columns, s->height, WIDE, to);
    return;
  }
#endif
  if (s->height == 1) {
    put_columns(s, x, columns, 1, EXACT, to);
  } else {
    put_columns(s, x, columns, s->height, EXACT, to);
  }
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

/* One window; `quads` and `together` may be constants. */
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

ET_INLINE void put_pixel(const strip *s, const et_i32 *sums, uint8_t *out) {
  et_f32 steps[VECTORS];
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    steps[v] = et_steps_of(sums[v], s->scale[v], s->bias[v]);
  }
  const et_u8 bytes = et_rounded(&s->rounder, steps);
  if (s->count == CHANNELS) {
    memcpy(out, &bytes, sizeof(bytes));
  } else {
    et_copy_few(out, (const uint8_t *)&bytes, s->count, CHANNELS);
  }
}

/* Pixels whose windows begin `step` words after each other. */
ET_INLINE void sum_pixels(const strip *s, const word *x, size_t step,
                          size_t count, size_t quads, size_t together, form f,
                          uint8_t *out) {
  for (size_t i = 0; i < count; i++, x += step) {
    et_i32 sums[VECTORS];
    memcpy(sums, s->start, sizeof(sums));
    add_window(s, x, quads, together, f, sums);
    put_pixel(s, sums, out + i * s->depthwise->channels);
  }
}

static void sum_any_pixels(const strip *s, const word *x, size_t step,
                           size_t count, uint8_t *out) {
  const size_t quads = s->height * s->depthwise->window.kernel_x;
  const size_t together = s->depthwise->together;
#if ET_SUMS_OF_16
  if (s->form == WIDE) {
    sum_pixels(s, x, step, count, quads, 0, WIDE, out);
    return;
  }
#endif
  if (quads == 3 && (together >= 3 || s->form == EXACT)) { /* 3 x 3 */
    sum_pixels(s, x, step, count, 3, 3, NARROW, out);
  } else if (quads == 3) {
    sum_pixels(s, x, step, count, 3, 1, NARROW, out);
  } else {
    sum_pixels(s, x, step, count, quads, together, NARROW, out);
  }
}

/* Pixels whose columns are kept at once: of far apart taps one. */
static size_t pixels_at_once(const strip *s) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t room = MOST_QUADS / s->height - w->kernel_x;
  return w->dilation_x == 1 ? room / w->stride_x + 1 : 1;
}

static void run_row(const strip *s, uint8_t *out) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t words = s->height * (s->form == WIDE ? 2 : 1);
  word columns[MOST_QUADS * MOST_WORDS];
  const size_t most = pixels_at_once(s);
  for (size_t i = 0; i < w->out_width; i += most) {
    const size_t left = w->out_width - i;
    const size_t count = left < most ? left : most;
    put_any_columns(s, i * w->stride_x - w->left,
                    (count - 1) * w->stride_x + w->kernel_x, columns);
    sum_any_pixels(s, columns, w->stride_x * words, count,
                   out + i * s->depthwise->channels);
  }
}

/* The rows of the image below row `row` of the output; those of no tap add 0. */
static void find_rows(strip *s, size_t row) {
  const et_cpu_depthwise_i8 *d = s->depthwise;
  const et_cpu_window *w = &d->window;
  const size_t length = w->width * d->channels;
  const uint8_t *image = d->x.data + row / w->out_height * w->height * length;
  size_t y = row % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < 4 * s->height; i++, y += w->dilation_y) {
    const bool inside = i < w->kernel_y && y < w->height;
    s->rows[i] = inside ? (line){image + y * length + s->first_channel,
                                 d->x.data + d->x.size, d->channels}
                        : s->beyond[0];
  }
}

/* What panels have 64 bytes of each, `stride` bytes apart, as channels are in
 * words; 0 where there is no panel. */
static void put_panels(const void *panels, size_t stride, size_t count,
                       void *to) {
  memset(to, 0, sizeof(word));
  for (size_t p = 0; p < count; p++) {
    const uint8_t *from = (const uint8_t *)panels + p * stride;
    for (size_t v = 0; v < VECTORS; v++) {
      memcpy((uint8_t *)to + v * sizeof(et_i8) + 16 * p, from + 16 * v, 16);
    }
  }
}

static size_t panels_of(const strip *s) {
  return (s->count + ET_PANEL - 1) / ET_PANEL;
}

static void read_taps(strip *s) {
  const size_t quads = s->height * s->depthwise->window.kernel_x;
  const int8_t *from = s->depthwise->taps + s->first_channel * quads * 4;
  for (size_t q = 0; q < quads; q++, from += 4 * ET_PANEL) {
    word taps;
    put_panels(from, quads * 4 * ET_PANEL, panels_of(s), &taps);
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
  et_i32 starts[VECTORS];
  if (columns->start != NULL) {
    put_panels(columns->start + s->first_channel, panel, panels_of(s), starts);
  } else {
    put_panels(columns->bias + s->first_channel, panel, panels_of(s), s->bias);
  }
  for (int v = 0; v < VECTORS; v++) {
    if (columns->start != NULL) {
      s->start[v] += et_start_bias(starts[v]);
      s->bias[v] = et_f32_all(0.0f);
    } else {
      s->bias[v] *= inverse;
    }
  }
}

static void read_columns(strip *s, int32_t shift) {
  const et_cpu_depthwise_i8 *d = s->depthwise;
  const size_t panel = ET_PANEL * sizeof(float);
  const et_f32 inverse = et_f32_all(d->quantizing.inverse);
  put_panels(d->of_columns.sums + s->first_channel, panel, panels_of(s),
             s->start);
  put_panels(d->of_columns.scale + s->first_channel, panel, panels_of(s),
             s->scale);
  for (int v = 0; v < VECTORS; v++) {
    s->start[v] = et_start_of(s->start[v], d->x.zero_point + shift);
    s->scale[v] *= inverse;
  }
  read_biases(s, inverse);
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
  s->rounder = et_rounder_of(&depthwise->quantizing);
  memset(&s->zero, (uint8_t)depthwise->x.zero_point, sizeof(s->zero));
  const uint8_t *zero = (const uint8_t *)&s->zero;
  for (int i = 0; i < 4; i++) {
    s->beyond[i] = (line){zero, zero + sizeof(s->zero), 0};
  }
}

static void to_channels(strip *s, size_t first) {
  const size_t left = s->depthwise->channels - first;
  const int32_t shift = shift_of(s->depthwise, s->form);
  s->first_channel = first;
  s->count = left < CHANNELS ? left : CHANNELS;
  memset(&s->shift, (uint8_t)shift, sizeof(s->shift));
  read_taps(s);
  read_columns(s, shift);
}

void ET_CPU_NAME(et_cpu_depthwise_i8)(const et_cpu_depthwise_i8 *depthwise,
                                      const et_cpu_rows_i8 *rows) {
  const size_t end = rows->first_channel + ET_CPU_DEPTHWISE_CHANNELS_I8;
  const size_t length = depthwise->window.out_width * depthwise->channels;
  strip s;
  begin(&s, depthwise);
  for (size_t channel = rows->first_channel;
       channel < end && channel < depthwise->channels; channel += CHANNELS) {
    to_channels(&s, channel);
    for (size_t i = 0; i < rows->rows; i++) {
      const size_t row = rows->first_row + i;
      find_rows(&s, row);
      run_row(&s, depthwise->out + row * length + channel);
    }
  }
}
