#include "backends/cpu/simd/depthwise.h"

#include <stdbool.h>

#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/simd.h"

/* Pixels that are computed together, so that each element that is loaded and
 * each tap in a register serve several. Networks end in pictures of 14 and 7, which
 * windows of 5 x 5 go over in 0.75 to 0.85 of the time by sevens; those of 3 x 3 gain
 * nothing. With AVX2 code may not be larger. */
#if defined(ET_CPU_ISA_AVX512)
#define PIXELS(kernel) ((kernel) == 5 ? 7 : 4)
#else
#define PIXELS(kernel) 4
#endif
#define MOST_PIXELS 7

/* Channels that a row is worked on at a time: what neighbouring pixels read as
 * well stays in the nearest cache. Whole panels. */
#define CHANNELS 128

/* The row at hand, and some channels of it. */
typedef struct strip {
  const et_cpu_depthwise *depthwise;
  const float *const *rows;
  float *out;
  et_f32 low;
  et_f32 high;
  size_t first, end; /* channels */
} strip;

/* A vector of channels. */
typedef struct lane {
  size_t first;
  size_t count;      /* at most ET_CPU_LANES */
  const float *taps; /* ET_PANEL apart */
  et_f32 bias;
} lane;

/* Masks cost nothing with AVX-512; elsewhere only whole vectors are fast. */
#if defined(ET_CPU_ISA_AVX512)
#define IS_FAST(count) true
#define WHOLE false
#else
#define IS_FAST(count) ((count) == ET_CPU_LANES)
#define WHOLE true
#endif

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

ET_INLINE lane find_lane(const strip *s, size_t channel) {
  const et_cpu_depthwise *d = s->depthwise;
  const size_t panel = d->window.kernel_y * d->window.kernel_x * ET_PANEL;
  const lane l = {channel, smaller(ET_CPU_LANES, s->end - channel),
                  d->taps + channel / ET_PANEL * panel + channel % ET_PANEL,
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

/* The taps of a row of the window that lie inside of the image. */
typedef struct reach {
  size_t begin, end;
  size_t column; /* that tap `begin` reads */
} reach;

static reach find_reach(const et_cpu_window *w, size_t x) {
  reach r = {0, w->kernel_x, x * w->stride_x - w->left};
  while (r.begin < r.end && r.column >= w->width) {
    r.begin++;
    r.column += w->dilation_x; /* it wraps to 0 or more */
  }
  while (r.begin < r.end &&
         r.column + (r.end - 1 - r.begin) * w->dilation_x >= w->width) {
    r.end--;
  }
  return r;
}

ET_INLINE void add_window(const strip *s, const lane *l, const reach *r,
                          size_t x, bool whole) {
  const et_cpu_depthwise *d = s->depthwise;
  const size_t step = d->window.dilation_x * d->channels;
  et_f32 sum = l->bias;
  for (size_t i = 0; i < d->window.kernel_y; i++) {
    const float *taps = l->taps + i * d->window.kernel_x * ET_PANEL;
    if (s->rows[i] != NULL) {
      const float *at = s->rows[i] + r->column * d->channels + l->first;
      for (size_t j = r->begin; j < r->end; j++, at += step) {
        sum = et_f32_fma(load_lane(at, l->count, whole),
                         et_f32_load(taps + j * ET_PANEL), sum);
      }
    }
  }
  store_lane(s->out + x * d->channels + l->first,
             et_f32_clamp(sum, s->low, s->high), l->count, whole);
}

/* One lane of a pixel, wherever its window lies. */
ET_APART void any_lane(const strip *s, const lane *l, size_t x) {
  const reach r = find_reach(&s->depthwise->window, x);
  if (WHOLE && l->count == ET_CPU_LANES) {
    add_window(s, l, &r, x, true);
  } else {
    add_window(s, l, &r, x, false);
  }
}

ET_APART void any_strip(const strip *s) {
  for (size_t x = 0; x < s->depthwise->window.out_width; x++) {
    for (size_t c = s->first; c < s->end; c += ET_CPU_LANES) {
      const lane l = find_lane(s, c);
      any_lane(s, &l, x);
    }
  }
}

/* What some pixels read: some columns, of which those from `begin` to before
 * `end` lie inside of the image. */
typedef struct group {
  const float
      *rows[5]; /* of channel 0 of the image's first column; NULL: outside */
  ptrdiff_t before; /* floats from there to the first column that is read */
  ptrdiff_t begin, end;
  size_t pixel; /* floats from one column to the next */
  const float *bias;
  float *out;
  et_f32 low, high;
} group;

/* In place: copies of what was just written piece by piece wait for it. */
ET_INLINE void find_group(const strip *s, size_t x, int kernel, int stride,
                          group *g) {
  const et_cpu_depthwise *d = s->depthwise;
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

/* Adds one row of taps to the pixels, of channel `c` and those after it. */
ET_INLINE void add_row(const group *g, const float *row, const float *from,
                       size_t c, size_t count, int kernel, int stride,
                       int pixels, bool inside, et_f32 *sums) {
  et_f32 taps[5];
  ET_UNROLL for (int j = 0; j < kernel; j++) {
    taps[j] = et_f32_load(from + j * ET_PANEL);
  }
  ET_UNROLL for (int j = 0; j < (pixels - 1) * stride + kernel; j++) {
    if (inside || (j >= g->begin && j < g->end)) {
      const ptrdiff_t at = g->before + (ptrdiff_t)(c + (size_t)j * g->pixel);
      et_f32 x = load_lane(row + at, count, WHOLE);
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
                          size_t count, int kernel, int stride, int pixels,
                          bool inside) {
  const et_f32 bias = et_f32_load(g->bias + c);
  et_f32 sums[MOST_PIXELS];
  ET_UNROLL for (int i = 0; i < pixels; i++) { sums[i] = bias; }
  for (int i = 0; i < kernel; i++, taps += kernel * ET_PANEL) {
    if (g->rows[i] != NULL) {
      add_row(g, g->rows[i], taps, c, count, kernel, stride, pixels, inside,
              sums);
    }
  }
  ET_UNROLL for (int i = 0; i < pixels; i++) {
    store_lane(g->out + (size_t)i * g->pixel + c,
               et_f32_clamp(sums[i], g->low, g->high), count, WHOLE);
  }
}

ET_INLINE void each_lane(const strip *s, const group *g, int kernel, int stride,
                         int pixels, bool inside) {
  const size_t end = s->end;
  const size_t panel = (size_t)(kernel * kernel) * ET_PANEL;
  const float *taps = s->depthwise->taps + s->first / ET_PANEL * panel;
  for (size_t c = s->first; c < end; c += ET_CPU_LANES, taps += ET_CPU_LANES) {
    const size_t count = smaller(ET_CPU_LANES, end - c);
    taps += c % ET_PANEL == 0 && c > s->first ? panel - ET_PANEL : 0;
    if (IS_FAST(count)) {
      some_lanes(g, taps, c, count, kernel, stride, pixels, inside);
    }
  }
}

/* Channels at the end that do not fill a vector. */
ET_APART void last_lane(const strip *s, size_t x, size_t pixels) {
  const lane l = find_lane(s, s->end / ET_CPU_LANES * ET_CPU_LANES);
  for (size_t i = x; i < x + pixels; i++) {
    any_lane(s, &l, i);
  }
}

/* The last pixels begin where they have to: what they share with those before
 * comes out the same. Code that looks at no column is for windows of 3 x 3 alone, which it
 * saves up to a twentieth with AVX-512, a third with AVX2; of 5 x 5, one after the other, it
 * takes as long. */
ET_INLINE void fast_strip(const strip *s, int kernel, int stride, int pixels) {
  const size_t width = s->depthwise->window.out_width;
  for (size_t next = 0; next < width; next += (size_t)pixels) {
    const size_t x = smaller(next, width - (size_t)pixels);
    group g;
    find_group(s, x, kernel, stride, &g);
    if (kernel == 3 && g.begin <= 0 &&
        g.end >= (pixels - 1) * stride + kernel) {
      each_lane(s, &g, kernel, stride, pixels, true);
    } else {
      each_lane(s, &g, kernel, stride, pixels, false);
    }
    if (!IS_FAST(s->end % ET_CPU_LANES) && s->end % ET_CPU_LANES != 0) {
      last_lane(s, x, (size_t)pixels);
    }
  }
}

static void strip_3_1(const strip *s) { fast_strip(s, 3, 1, PIXELS(3)); }
static void strip_3_2(const strip *s) { fast_strip(s, 3, 2, PIXELS(3)); }
static void strip_5_1(const strip *s) { fast_strip(s, 5, 1, PIXELS(5)); }
static void strip_5_2(const strip *s) { fast_strip(s, 5, 2, PIXELS(5)); }

typedef void strip_function(const strip *s);

static strip_function *choose(const et_cpu_window *w) {
  static strip_function *const fast[2][2] = {{strip_3_1, strip_3_2},
                                             {strip_5_1, strip_5_2}};
  const size_t kernel = w->kernel_x;
  const bool known = (kernel == 3 || kernel == 5) && w->kernel_y == kernel &&
                     (w->stride_x == 1 || w->stride_x == 2) &&
                     w->dilation_x == 1 && w->out_width >= PIXELS(kernel);
  return known ? fast[(kernel - 3) / 2][w->stride_x - 1] : any_strip;
}

void ET_CPU_NAME(et_cpu_depthwise_f32)(const et_cpu_depthwise *depthwise,
                                       const float *const *rows, float *out,
                                       et_cpu_channels channels) {
  const et_cpu_depthwise *d = depthwise;
  strip s = {.depthwise = d,
             .rows = rows,
             .out = out,
             .low = et_f32_all(et_cpu_clamp_low(&d->activation)),
             .high = et_f32_all(et_cpu_clamp_high(&d->activation)),
             .first = channels.first};
  for (; s.first < channels.end; s.first = s.end) {
    s.end = smaller(s.first + CHANNELS, channels.end);
    choose (&d->window)(&s);
  }
  if (et_cpu_is_curve(&d->activation)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (&d->activation, out + channels.first, d->channels, d->window.out_width,
     channels.end - channels.first);
  }
}
