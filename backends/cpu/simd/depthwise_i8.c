#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/simd/requantize.h"

/* Rows of the image below a window's rows, two at a time. */
#define MOST_ROWS ET_CPU_DEPTHWISE_TAPS_I8
/* Pairs of a panel that are kept: those of a window at least, as a column of
 * n taps has at most n pairs. */
#define MOST_PAIRS 256

_Static_assert(MOST_PAIRS >= ET_CPU_DEPTHWISE_TAPS_I8, "a window fits");

/* Two bytes of each channel of a panel, as int16. */
typedef struct pair {
  et_i16 of[ET_PANEL_VECTORS];
} pair;

/* A panel of channels along one row of the output; the last panel may have fewer
 * than 16. */
typedef struct lane {
  const et_cpu_depthwise_i8 *depthwise;
  const uint8_t *rows[MOST_ROWS + 1]; /* NULL beyond the image */
  const int16_t *taps;                /* [kernel_x][height][16][2] */
  et_requantizer requantizer;
  et_panel_bytes zero;
  size_t height; /* pairs of a column */
  size_t count;  /* channels */
} lane;

/* A pixel of the row `from`, as all that lies beyond the image if `inside` is
 * not set or there is no row. */
ET_INLINE et_panel_bytes load(const lane *l, const uint8_t *from, size_t x,
                              bool inside, bool whole) {
  if (!inside || from == NULL) {
    return l->zero;
  }
  et_panel_bytes bytes = {0};
  memcpy(&bytes, from + x * l->depthwise->channels,
         whole ? ET_PANEL : l->count);
  return bytes;
}

/* `columns` columns from `x` on, which may be negative, as pairs of rows. Each
 * is used by the windows of several pixels. */
ET_INLINE void pair_columns(const lane *l, size_t x, size_t columns,
                            pair *pairs, bool whole, bool is_signed) {
  const et_cpu_window *w = &l->depthwise->window;
  for (size_t c = 0; c < columns; c++, x += w->dilation_x) {
    const bool inside = x < w->width;
    for (size_t p = 0; p < l->height; p++, pairs++) {
      et_i16_pairs(load(l, l->rows[2 * p], x, inside, whole),
                   load(l, l->rows[2 * p + 1], x, inside, whole), is_signed,
                   pairs->of);
    }
  }
}

ET_INLINE et_i16 weights_at(const lane *l, size_t tap, int v) {
  et_i16 weights;
  memcpy(&weights, l->taps + tap * 2 * ET_PANEL + v * 2 * ET_CPU_LANES,
         sizeof(weights));
  return weights;
}

ET_INLINE void add_tap(const lane *l, const pair *pairs, size_t tap,
                       et_i32 *sums) {
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    sums[v] = et_i32_dot2(sums[v], pairs[tap].of[v], weights_at(l, tap, v));
  }
}

/* Pixels whose windows begin `step` pairs after each other. `known` is the number of
 * taps as a constant, or 0. */
ET_INLINE void sum_pixels(const lane *l, const pair *pairs, size_t step,
                          size_t count, size_t known, uint8_t *out) {
  const size_t taps =
      known != 0 ? 0 : l->height * l->depthwise->window.kernel_x;
  for (size_t i = 0; i < count; i++, pairs += step) {
    et_i32 sums[ET_PANEL_VECTORS];
    memcpy(sums, l->requantizer.start, sizeof(sums));
    ET_UNROLL for (size_t t = 0; t < known; t++) { add_tap(l, pairs, t, sums); }
    for (size_t t = 0; t < taps; t++) {
      add_tap(l, pairs, t, sums);
    }
    et_store_panel(out + i * l->depthwise->channels,
                   et_requantize(&l->requantizer, sums), l->count);
  }
}

static void sum_any_pixels(const lane *l, const pair *pairs, size_t step,
                           size_t count, uint8_t *out) {
  const size_t taps = l->height * l->depthwise->window.kernel_x;
  if (taps == 6) { /* 3 x 3 */
    sum_pixels(l, pairs, step, count, 6, out);
  } else if (taps == 15) { /* 5 x 5 */
    sum_pixels(l, pairs, step, count, 15, out);
  } else {
    sum_pixels(l, pairs, step, count, 0, out);
  }
}

static void pair_any_columns(const lane *l, size_t x, size_t columns,
                             pair *pairs) {
  const bool is_signed = l->depthwise->x.is_signed;
  if (l->count < ET_PANEL) {
    pair_columns(l, x, columns, pairs, false, is_signed);
  } else if (is_signed) {
    pair_columns(l, x, columns, pairs, true, true);
  } else {
    pair_columns(l, x, columns, pairs, true, false);
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
  const size_t line = w->width * d->channels;
  const uint8_t *image = d->x.data + row / w->out_height * w->height * line;
  size_t y = row % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < 2 * l->height; i++, y += w->dilation_y) {
    const bool inside = i < w->kernel_y && y < w->height;
    l->rows[i] = inside ? image + y * line : NULL;
  }
}

static void to_panel(lane *l, size_t panel) {
  const et_cpu_depthwise_i8 *d = l->depthwise;
  const size_t left = d->channels - panel * ET_PANEL;
  const size_t pairs = l->height * d->window.kernel_x;
  l->taps = d->taps + panel * pairs * 2 * ET_PANEL;
  l->count = left < ET_PANEL ? left : ET_PANEL;
  l->requantizer = et_requantizer_of(&d->of_columns, &d->quantizing,
                                     d->x.zero_point, panel * ET_PANEL);
}

void ET_CPU_NAME(et_cpu_depthwise_i8)(const et_cpu_depthwise_i8 *depthwise,
                                      size_t row) {
  lane l = {.depthwise = depthwise,
            .height = (depthwise->window.kernel_y + 1) / 2};
  memset(&l.zero, (uint8_t)depthwise->x.zero_point, sizeof(l.zero));
  find_rows(&l, row);
  uint8_t *out =
      depthwise->out + row * depthwise->window.out_width * depthwise->channels;
  for (size_t p = 0; p * ET_PANEL < depthwise->channels; p++) {
    to_panel(&l, p);
    run_lane(&l, out + p * ET_PANEL);
    for (size_t i = 0; i < 2 * l.height; i++) {
      l.rows[i] = l.rows[i] == NULL ? NULL : l.rows[i] + ET_PANEL;
    }
  }
}
