/* Implements dwconv_f32.h: a range of channels of one row of a float32 depthwise convolution.
 *
 * 3 x 3 and 5 x 5 kernels with stride 1 or 2 have unrolled loops. Their tile is 7 or 4 pixels by
 * one vector of channels. Each pixel has one accumulator, which starts with the bias. Padding is
 * checked only in the outer columns. Other windows are computed one pixel and one vector at a time.
 * Loads are the bottleneck. */
#include "backends/cpu/microkernels/dwconv_f32.h"

#include <stdbool.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/simd.h"
#include "runtime/core/arithmetic.h"

/* Number of pixels that are computed at once. Each loaded element and each loaded tap is used
 * several times. An accumulator is a chain of multiply-adds with a latency of 4 cycles, and 2
 * multiply-adds can start per cycle: 7 chains are 1.1x to 1.4x faster than 4. Common widths (7, 14,
 * 28, ...) are multiples of 7. */
#define FEW_PIXELS 4
#define MAX_PIXELS 7

#define MAX_UNROLLED 5 /* maximum size of kernels with unrolled loops */

/* A row of the output, restricted to a range of channels. */
typedef struct span {
  const et_cpu_dwconv *depthwise;
  const float *const *rows;
  float *out;
  et_f32 low;
  et_f32 high;
  size_t first, end; /* range of channels */
} span;

/* A vector of channels. */
typedef struct lane {
  size_t first;
  size_t count;      /* at most ET_CPU_LANES */
  const float *taps; /* one per ET_CPU_PANEL floats */
  et_f32 bias;
} lane;

ET_INLINE lane find_lane(const span *s, size_t channel) {
  const et_cpu_dwconv *d = s->depthwise;
  const size_t panel = d->window.kernel_y * d->window.kernel_x * ET_CPU_PANEL;
  const lane l = {
      channel, et_min_size(ET_CPU_LANES, s->end - channel),
      d->taps + channel / ET_CPU_PANEL * panel + channel % ET_CPU_PANEL,
      et_f32_load(d->bias + channel)};
  return l;
}

ET_INLINE et_f32 load_lane(const float *from, size_t count, bool whole) {
  return whole ? et_f32_load(from) : et_f32_load_some(from, count);
}

ET_INLINE void store_lane(float *to, et_f32 value, size_t count, bool whole) {
  if (whole) {
    et_f32_store(to, value);
  } else {
    et_f32_store_some(to, value, count);
  }
}

/* The taps of one window row that are inside the image. */
typedef struct reach {
  size_t begin, end;
  size_t column; /* column of tap `begin` */
} reach;

static reach find_reach(const et_cpu_window *w, size_t x) {
  reach r = {0, w->kernel_x, x * w->stride_x - w->left};
  while (r.begin < r.end && r.column >= w->width) {
    r.begin++;
    r.column +=
        w->dilation_x; /* unsigned: negative columns wrap back to >= 0 */
  }
  while (r.begin < r.end &&
         r.column + (r.end - 1 - r.begin) * w->dilation_x >= w->width) {
    r.end--;
  }
  return r;
}

ET_INLINE void add_window(const span *s, const lane *l, const reach *r,
                          size_t x, bool whole) {
  const et_cpu_dwconv *d = s->depthwise;
  const size_t step = d->window.dilation_x * d->channels;
  et_f32 sum = l->bias;
  for (size_t i = 0; i < d->window.kernel_y; i++) {
    const float *taps = l->taps + i * d->window.kernel_x * ET_CPU_PANEL;
    if (s->rows[i] != NULL) {
      const float *at = s->rows[i] + r->column * d->channels + l->first;
      for (size_t j = r->begin; j < r->end; j++, at += step) {
        sum = et_f32_fma(load_lane(at, l->count, whole),
                         et_f32_load(taps + j * ET_CPU_PANEL), sum);
      }
    }
  }
  store_lane(s->out + x * d->channels + l->first,
             et_f32_clamp(sum, s->low, s->high), l->count, whole);
}

/* Computes a vector of a pixel, for any window. */
ET_NOINLINE void any_lane(const span *s, const lane *l, size_t x) {
  const reach r = find_reach(&s->depthwise->window, x);
  if (l->count == ET_CPU_LANES) {
    add_window(s, l, &r, x, true);
  } else {
    add_window(s, l, &r, x, false);
  }
}

ET_NOINLINE void any_span(const span *s) {
  for (size_t x = 0; x < s->depthwise->window.out_width; x++) {
    for (size_t c = s->first; c < s->end; c += ET_CPU_LANES) {
      const lane l = find_lane(s, c);
      any_lane(s, &l, x);
    }
  }
}

/* Image columns in the windows of several output pixels. Columns `begin` to `end - 1` are inside
 * the image. */
typedef struct group {
  /* channel 0 of the first column of the image; NULL: padding */
  const float *rows[MAX_UNROLLED];
  ptrdiff_t before; /* offset of the first column */
  ptrdiff_t begin, end;
  size_t pixel; /* distance between columns, in floats */
  const float *bias;
  float *out;
  et_f32 low, high;
} group;

/* Fills `g` in place, because loading a copy would wait for several narrow stores. */
ET_INLINE void find_group(const span *s, size_t x, int kernel, int stride,
                          group *g) {
  const et_cpu_dwconv *d = s->depthwise;
  const ptrdiff_t column =
      (ptrdiff_t)(x * (size_t)stride) - (ptrdiff_t)d->window.left;
  ET_UNROLL for (int i = 0; i < kernel; i++) { g->rows[i] = s->rows[i]; }
  g->before = column * (ptrdiff_t)d->channels;
  g->begin = -column;
  g->end = (ptrdiff_t)d->window.width - column;
  g->pixel = d->channels;
  g->bias = d->bias;
  g->out = s->out + x * d->channels;
  g->low = s->low;
  g->high = s->high;
}

/* Number of columns on each side that are checked for padding. */
#define MARGIN(kernel) ((kernel) / 2)

/* Adds a row of taps to the pixels, for the vector of channels that starts at `c`. */
ET_INLINE void add_row(const group *g, const float *row, const float *from,
                       size_t c, int kernel, int stride, int pixels,
                       et_f32 *sums) {
  const int columns = (pixels - 1) * stride + kernel;
  et_f32 taps[MAX_UNROLLED];
  ET_UNROLL for (int j = 0; j < kernel; j++) {
    taps[j] = et_f32_load(from + j * ET_CPU_PANEL);
  }
  ptrdiff_t at = g->before + (ptrdiff_t)c;
  ET_UNROLL for (int j = 0; j < columns; j++, at += (ptrdiff_t)g->pixel) {
    ET_PIN_INDEX(at);
    if ((j >= MARGIN(kernel) || j >= g->begin) &&
        (j < columns - MARGIN(kernel) || j < g->end)) {
      et_f32 x = et_f32_load(row + at);
      ET_PIN(x);
      ET_UNROLL for (int i = 0; i < pixels; i++) {
        const int tap = j - i * stride;
        if (tap >= 0 && tap < kernel) {
          sums[i] = et_f32_fma(x, taps[tap], sums[i]);
        }
      }
    }
  }
}

ET_INLINE void some_lanes(const group *g, const float *taps, size_t c,
                          int kernel, int stride, int pixels) {
  const et_f32 bias = et_f32_load(g->bias + c);
  et_f32 sums[MAX_PIXELS];
  ET_UNROLL for (int i = 0; i < pixels; i++) { sums[i] = bias; }
  for (int i = 0; i < kernel; i++, taps += kernel * ET_CPU_PANEL) {
    if (g->rows[i] != NULL) {
      add_row(g, g->rows[i], taps, c, kernel, stride, pixels, sums);
    }
  }
  float *out = g->out + c;
  ET_UNROLL for (int i = 0; i < pixels; i++, out += g->pixel) {
    ET_PIN_INDEX(out);
    et_f32_store(out, et_f32_clamp(sums[i], g->low, g->high));
  }
}

/* Taps of a vector of channels, which may start within a panel. The buffer has one extra panel,
 * because the last store writes past the end of the taps. */
typedef float lane_taps[(MAX_UNROLLED * MAX_UNROLLED + 1) * ET_CPU_PANEL];

ET_NOINLINE void copy_taps(const span *s, size_t channel, size_t count,
                           lane_taps to) {
  const size_t apart = ET_CPU_PANEL - channel % ET_CPU_PANEL;
  const float *panel =
      s->depthwise->taps + channel / ET_CPU_PANEL * count * ET_CPU_PANEL;
  const float *next = panel + count * ET_CPU_PANEL;
  for (size_t i = 0; i < count * ET_CPU_PANEL; i += ET_CPU_PANEL) {
    et_f32_store(to + i, et_f32_load(panel + i + ET_CPU_PANEL - apart));
    if (apart < ET_CPU_LANES) {
      et_f32_store(to + i + apart, et_f32_load(next + i));
    }
  }
}

/* Computes all channels of some pixels. The last vector ends with the last channel and has its own
 * taps. Computing some channels twice is faster than masking. */
ET_INLINE void run_lanes(const span *s, const group *all, const float *last,
                         int kernel, int stride, int pixels) {
  const group g = *all; /* a local copy, which stores cannot alias */
  const float *taps = s->depthwise->taps;
  const size_t end = s->end;
  for (size_t c = s->first; c < end; c += ET_CPU_LANES) {
    const size_t panel = c / ET_CPU_PANEL * (size_t)(kernel * kernel);
    const bool is_whole = c + ET_CPU_LANES <= end;
    some_lanes(&g,
               is_whole ? taps + panel * ET_CPU_PANEL + c % ET_CPU_PANEL : last,
               is_whole ? c : end - ET_CPU_LANES, kernel, stride, pixels);
  }
}

/* The last group of pixels ends with the row. Some pixels are computed twice, with identical
 * results. */
ET_INLINE void fast_span(const span *s, int kernel, int stride, int pixels) {
  const size_t width = s->depthwise->window.out_width;
  lane_taps last;
  if (s->end % ET_CPU_LANES != 0) {
    copy_taps(s, s->end - ET_CPU_LANES, (size_t)(kernel * kernel), last);
  }
  for (size_t next = 0; next < width; next += (size_t)pixels) {
    group g;
    find_group(s, et_min_size(next, width - (size_t)pixels), kernel, stride,
               &g);
    run_lanes(s, &g, last, kernel, stride, pixels);
  }
}

static void fours_3_1(const span *s) { fast_span(s, 3, 1, FEW_PIXELS); }
static void fours_3_2(const span *s) { fast_span(s, 3, 2, FEW_PIXELS); }
static void fours_5_1(const span *s) { fast_span(s, 5, 1, FEW_PIXELS); }
static void sevens_3_1(const span *s) { fast_span(s, 3, 1, MAX_PIXELS); }
static void sevens_5_1(const span *s) { fast_span(s, 5, 1, MAX_PIXELS); }
static void sevens_5_2(const span *s) { fast_span(s, 5, 2, MAX_PIXELS); }

typedef void span_function(const span *s);

/* [kernel 3 or 5][stride 1 or 2][4 or 7 pixels]. With a 3 x 3 kernel and stride 2, 7 pixels are
 * slower, because they load more per accumulator. With a 5 x 5 kernel and stride 2, only widths of
 * 4 to 6 would use 4 pixels. */
static span_function *const functions[2][2][2] = {
    {{fours_3_1, sevens_3_1}, {fours_3_2, fours_3_2}},
    {{fours_5_1, sevens_5_1}, {sevens_5_2, sevens_5_2}}};

/* Returns whether at most MARGIN columns on each side are padding. */
static bool has_margins(const et_cpu_window *w) {
  const size_t margin = MARGIN(w->kernel_x);
  const size_t read = (w->out_width - 1) * w->stride_x + w->kernel_x;
  return w->left <= margin && read <= w->width + w->left + margin;
}

/* 7 pixels at once are 1.2x faster per pixel than 4, but some are computed twice. */
static bool takes_sevens(size_t width) {
  const size_t sevens = (width + MAX_PIXELS - 1) / MAX_PIXELS;
  const size_t fours = (width + FEW_PIXELS - 1) / FEW_PIXELS;
  return width >= MAX_PIXELS && sevens * 3 <= fours * 2;
}

static size_t min_width(const et_cpu_window *w) {
  return w->kernel_x == 5 && w->stride_x == 2 ? MAX_PIXELS : FEW_PIXELS;
}

static span_function *choose(const span *s) {
  const et_cpu_window *w = &s->depthwise->window;
  const size_t kernel = w->kernel_x;
  const bool known = (kernel == 3 || kernel == 5) && w->kernel_y == kernel &&
                     (w->stride_x == 1 || w->stride_x == 2) &&
                     w->dilation_x == 1 && w->out_width >= min_width(w) &&
                     s->end - s->first >= ET_CPU_LANES && has_margins(w);
  return known ? functions[(kernel - 3) / 2][w->stride_x - 1]
                          [takes_sevens(w->out_width)]
               : any_span;
}

void ET_CPU_NAME(et_cpu_dwconv_f32)(const et_cpu_dwconv *depthwise,
                                    const float *const *rows, float *out,
                                    et_cpu_channels channels) {
  const et_cpu_dwconv *d = depthwise;
  const span s = {.depthwise = d,
                  .rows = rows,
                  .out = out,
                  .low = et_f32_all(et_cpu_clamp_low(&d->activation)),
                  .high = et_f32_all(et_cpu_clamp_high(&d->activation)),
                  .first = channels.first,
                  .end = channels.end};
  choose (&s)(&s);
  if (et_cpu_is_curve(&d->activation)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (&d->activation, out + channels.first, d->channels, d->window.out_width,
     channels.end - channels.first);
  }
}
