#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/simd/requantize.h"

/* Rows of the image below a window's rows, two at a time. */
#define MOST_ROWS ET_CPU_DEPTHWISE_TAPS_I8
/* Pairs of a panel that are kept: those of a window at least, as a column of
 * n taps has at most n pairs. */
#define MOST_PAIRS 256

_Static_assert(MOST_PAIRS >= ET_CPU_DEPTHWISE_TAPS_I8, "a window fits");

#define MOST_TAPS ET_CPU_DEPTHWISE_TAPS_I8
/* Pairs whose sums are made int32: of fewer, int32 from the start is faster. */
#define LEAST_TOGETHER 3

/* Two bytes of each channel of a panel: as int16, or as they are. */
typedef union pair {
  et_i16 wide[ET_PANEL_VECTORS];
#if ET_PANELS_OF_16
  et_panel_pairs bytes;
#endif
} pair;

/* A row of the image, or what lies beyond it. */
typedef struct line {
  const uint8_t *from;
  size_t step; /* to the next pixel */
} line;

/* A panel of channels along one row of the output; the last panel may have fewer
 * than 16. */
typedef struct lane {
  const et_cpu_depthwise_i8 *depthwise;
  line rows[MOST_ROWS + 1];
  pair taps[MOST_TAPS]; /* [kernel_x][height] */
  et_requantizer requantizer;
  et_panel_bytes zero;
  size_t height; /* pairs of a column */
  size_t count;  /* channels */
  bool narrow;   /* pairs stay bytes */
} lane;

/* Pixel `x` of a row. */
ET_INLINE et_panel_bytes load(const lane *l, const line *row, size_t x,
                              bool whole) {
  et_panel_bytes bytes = {0};
  memcpy(&bytes, row->from + x * row->step, whole ? ET_PANEL : l->count);
  return bytes;
}

ET_INLINE void put_pair(const lane *l, et_panel_bytes a, et_panel_bytes b,
                        bool narrow, bool is_signed, pair *to) {
#if ET_PANELS_OF_16
  if (narrow) {
    to->bytes = et_paired(a, b) - (uint8_t)l->depthwise->lowest;
    return;
  }
#endif
  (void)l;
  (void)narrow;
  et_i16_pairs(a, b, is_signed, to->wide);
}

/* `columns` columns from `x` on, which may be negative, as pairs of rows. Each
 * is used by the windows of several pixels. `known` is the number of pairs of a
 * column as a constant, or 0. */
ET_INLINE void pair_columns(const lane *l, size_t x, size_t columns,
                            size_t known, bool whole, bool narrow,
                            bool is_signed, pair *pairs) {
  const et_cpu_window *w = &l->depthwise->window;
  const size_t height = known != 0 ? known : l->height;
  for (size_t c = 0; c < columns; c++, x += w->dilation_x) {
    if (x >= w->width) {
      for (size_t p = 0; p < height; p++, pairs++) {
        put_pair(l, l->zero, l->zero, narrow, is_signed, pairs);
      }
      continue;
    }
    for (size_t p = 0; p < height; p++, pairs++) {
      const line *rows = l->rows + 2 * p;
      put_pair(l, load(l, rows, x, whole), load(l, rows + 1, x, whole), narrow,
               is_signed, pairs);
    }
  }
}

static void pair_any_columns(const lane *l, size_t x, size_t columns,
                             pair *pairs) {
  const bool is_signed = l->depthwise->x.is_signed;
  if (l->count < ET_PANEL) {
    pair_columns(l, x, columns, 0, false, l->narrow, is_signed, pairs);
  } else if (!l->narrow) {
    pair_columns(l, x, columns, 0, true, false, is_signed, pairs);
  } else if (l->height == 2) {
    pair_columns(l, x, columns, 2, true, true, false, pairs);
  } else {
    pair_columns(l, x, columns, 0, true, true, false, pairs);
  }
}

ET_INLINE void add_wide(const lane *l, const pair *pairs, size_t taps,
                        et_i32 *sums) {
  for (size_t t = 0; t < taps; t++) {
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      sums[v] = et_i32_dot2(sums[v], pairs[t].wide[v], l->taps[t].wide[v]);
    }
  }
}

#if ET_PANELS_OF_16
ET_INLINE void add_narrow(const lane *l, const pair *pairs, size_t taps,
                          size_t together, et_i32 *sums) {
  for (size_t t = 0; t < taps; t += together) {
    const size_t end = taps - t < together ? taps : t + together;
    et_panel_sums more = {0};
    for (size_t i = t; i < end; i++) {
      more = et_panel_dot2(more, pairs[i].bytes, l->taps[i].bytes);
    }
    et_add_panel(sums, more);
  }
}
#endif

/* How windows are added up. Numbers are constants, or 0. */
typedef struct form {
  size_t taps;
  size_t together; /* narrow */
  bool narrow;
} form;

ET_INLINE void sum_pixel(const lane *l, const pair *pairs, form f,
                         et_i32 *sums) {
  const size_t taps =
      f.taps != 0 ? f.taps : l->height * l->depthwise->window.kernel_x;
  memcpy(sums, l->requantizer.start, sizeof(l->requantizer.start));
#if ET_PANELS_OF_16
  if (f.narrow) {
    add_narrow(l, pairs, taps,
               f.together != 0 ? f.together : l->depthwise->together, sums);
    return;
  }
#endif
  add_wide(l, pairs, taps, sums);
}

/* Pixels whose windows begin `step` pairs after each other. */
ET_INLINE void sum_pixels(const lane *l, const pair *pairs, size_t step,
                          size_t count, form f, uint8_t *out) {
  const size_t channels = l->depthwise->channels;
  for (size_t i = 0; i < count; i += 2, pairs += 2 * step) {
    const size_t second = i + 1 < count ? 1 : 0;
    et_i32 sums[2][ET_PANEL_VECTORS];
    et_panel_bytes bytes[2];
    sum_pixel(l, pairs, f, sums[0]);
    sum_pixel(l, pairs + second * step, f, sums[1]);
    et_requantize_two(&l->requantizer, sums[0], sums[1], bytes);
    et_store_panel(out + i * channels, bytes[0], l->count);
    et_store_panel(out + (i + second) * channels, bytes[second], l->count);
  }
}

static void sum_any_pixels(const lane *l, const pair *pairs, size_t step,
                           size_t count, uint8_t *out) {
  const size_t taps = l->height * l->depthwise->window.kernel_x;
#if ET_PANELS_OF_16
  const size_t together = l->depthwise->together;
  if (l->narrow && taps == 6 && together >= 6) { /* 3 x 3 */
    sum_pixels(l, pairs, step, count, (form){6, 6, true}, out);
    return;
  }
  if (l->narrow && taps == 6 && together >= 3) {
    sum_pixels(l, pairs, step, count, (form){6, 3, true}, out);
    return;
  }
  if (l->narrow) {
    sum_pixels(l, pairs, step, count, (form){0, 0, true}, out);
    return;
  }
#endif
  if (taps == 6) {
    sum_pixels(l, pairs, step, count, (form){6, 0, false}, out);
  } else {
    sum_pixels(l, pairs, step, count, (form){0, 0, false}, out);
  }
}

/* Pixels whose columns are kept at once: of far apart taps one. */
static size_t pixels_at_once(const lane *l) {
  const et_cpu_window *w = &l->depthwise->window;
  const size_t room = MOST_PAIRS / l->height - w->kernel_x;
  return w->dilation_x == 1 ? room / w->stride_x + 1 : 1;
}

static void run_lane(const lane *l, uint8_t *out) {
  const et_cpu_window *w = &l->depthwise->window;
  pair pairs[MOST_PAIRS];
  const size_t most = pixels_at_once(l);
  for (size_t i = 0; i < w->out_width; i += most) {
    const size_t left = w->out_width - i;
    const size_t count = left < most ? left : most;
    const size_t columns = (count - 1) * w->stride_x + w->kernel_x;
    pair_any_columns(l, i * w->stride_x - w->left, columns, pairs);
    sum_any_pixels(l, pairs, w->stride_x * l->height, count,
                   out + i * l->depthwise->channels);
  }
}

/* The rows of the image below row `row` of the output; those of no tap add 0. */
static void find_rows(lane *l, size_t row) {
  const et_cpu_depthwise_i8 *d = l->depthwise;
  const et_cpu_window *w = &d->window;
  const size_t length = w->width * d->channels;
  const uint8_t *image = d->x.data + row / w->out_height * w->height * length;
  size_t y = row % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < 2 * l->height; i++, y += w->dilation_y) {
    const bool inside = i < w->kernel_y && y < w->height;
    l->rows[i] = inside ? (line){image + y * length, d->channels}
                        : (line){(const uint8_t *)&l->zero, 0};
  }
}

static void read_taps(lane *l, const int8_t *taps) {
  const size_t count = l->height * l->depthwise->window.kernel_x;
  for (size_t t = 0; t < count; t++, taps += 2 * ET_PANEL) {
#if ET_PANELS_OF_16
    if (l->narrow) {
      memcpy(&l->taps[t].bytes, taps, sizeof(l->taps[t].bytes));
      continue;
    }
#endif
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_i8_half half;
      memcpy(&half, taps + v * 2 * ET_CPU_LANES, sizeof(half));
      l->taps[t].wide[v] = __builtin_convertvector(half, et_i16);
    }
  }
}

static void to_panel(lane *l, size_t panel) {
  const et_cpu_depthwise_i8 *d = l->depthwise;
  const size_t left = d->channels - panel * ET_PANEL;
  const size_t pairs = l->height * d->window.kernel_x;
  const int32_t above = l->narrow ? d->lowest : 0;
  read_taps(l, d->taps + panel * pairs * 2 * ET_PANEL);
  l->count = left < ET_PANEL ? left : ET_PANEL;
  l->requantizer = et_requantizer_of(&d->of_columns, &d->quantizing,
                                     d->x.zero_point - above, panel * ET_PANEL);
}

void ET_CPU_NAME(et_cpu_depthwise_i8)(const et_cpu_depthwise_i8 *depthwise,
                                      size_t row) {
  lane l;
  l.depthwise = depthwise;
  l.height = (depthwise->window.kernel_y + 1) / 2;
  l.narrow = ET_PANELS_OF_16 && depthwise->together >= LEAST_TOGETHER;
  memset(&l.zero, (uint8_t)depthwise->x.zero_point, sizeof(l.zero));
  find_rows(&l, row);
  uint8_t *out =
      depthwise->out + row * depthwise->window.out_width * depthwise->channels;
  for (size_t p = 0; p * ET_PANEL < depthwise->channels; p++) {
    to_panel(&l, p);
    run_lane(&l, out + p * ET_PANEL);
    for (size_t i = 0; i < 2 * l.height; i++) {
      l.rows[i].from += l.rows[i].step == 0 ? 0 : ET_PANEL;
    }
  }
}
