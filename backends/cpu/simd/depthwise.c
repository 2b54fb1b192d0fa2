#include "backends/cpu/simd/depthwise.h"

#include <stdbool.h>

#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/simd.h"

/* Pixels that are computed together, so that each element that is loaded and
 * each tap in a register serve several. */
#define PIXELS 4

/* A vector of channels of the row at hand. */
typedef struct lane {
  const et_cpu_depthwise *depthwise;
  const float *const *rows;
  float *out;
  const float *taps; /* this lane's, ET_PANEL apart */
  et_f32 bias;
  et_f32 low;
  et_f32 high;
  size_t first; /* channel */
  size_t count; /* channels, at most ET_CPU_LANES */
} lane;

ET_INLINE et_f32 load_lane(const float *from, size_t count, bool whole) {
  return whole ? et_f32_load(from) : et_f32_load_some(from, count);
}

ET_INLINE void store_pixel(const lane *l, size_t x, et_f32 sum, bool whole) {
  float *to = l->out + x * l->depthwise->channels + l->first;
  const et_f32 value = et_f32_clamp(sum, l->low, l->high);
  if (whole) {
    et_f32_store(to, value);
  } else {
    et_f32_store_some(to, value, l->count);
  }
}

/* One pixel, wherever its window lies. */
ET_INLINE void gather_pixel(const lane *l, size_t x, bool whole) {
  const et_cpu_window *w = &l->depthwise->window;
  const float *taps = l->taps;
  et_f32 sum = l->bias;
  for (size_t i = 0; i < w->kernel_y; i++) {
    size_t column = x * w->stride_x - w->left;
    for (size_t j = 0; j < w->kernel_x;
         j++, column += w->dilation_x, taps += ET_PANEL) {
      if (l->rows[i] != NULL && column < w->width) {
        const float *at =
            l->rows[i] + column * l->depthwise->channels + l->first;
        sum =
            et_f32_fma(load_lane(at, l->count, whole), et_f32_load(taps), sum);
      }
    }
  }
  store_pixel(l, x, sum, whole);
}

static void any_pixel(const lane *l, size_t x) {
  if (l->count == ET_CPU_LANES) {
    gather_pixel(l, x, true);
  } else {
    gather_pixel(l, x, false);
  }
}

/* Adds one row of taps to PIXELS pixels, whose windows lie inside of the row
 * and begin at `from`. */
ET_INLINE void add_row(const lane *l, const float *from, const et_f32 *taps,
                       int kernel, int stride, bool whole, et_f32 *sums) {
  const size_t channels = l->depthwise->channels;
  ET_UNROLL for (int j = 0; j < (PIXELS - 1) * stride + kernel; j++) {
    et_f32 x = load_lane(from + (size_t)j * channels, l->count, whole);
    ET_PIN(x);
    ET_UNROLL for (int i = 0; i < PIXELS; i++) {
      const int tap = j - i * stride;
      if (tap >= 0 && tap < kernel) {
        sums[i] = et_f32_fma(x, taps[tap], sums[i]);
      }
    }
  }
}

ET_INLINE void four_pixels(const lane *l, size_t x, int kernel, int stride,
                           bool whole) {
  const et_cpu_depthwise *d = l->depthwise;
  const size_t column = x * (size_t)stride - d->window.left;
  et_f32 sums[PIXELS];
  ET_UNROLL for (int i = 0; i < PIXELS; i++) { sums[i] = l->bias; }
  ET_UNROLL for (int i = 0; i < kernel; i++) {
    if (l->rows[i] != NULL) {
      et_f32 taps[8];
      ET_UNROLL for (int j = 0; j < kernel; j++) {
        taps[j] = et_f32_load(l->taps + (i * kernel + j) * ET_PANEL);
      }
      add_row(l, l->rows[i] + column * d->channels + l->first, taps, kernel,
              stride, whole, sums);
    }
  }
  ET_UNROLL for (int i = 0; i < PIXELS; i++) {
    store_pixel(l, x + (size_t)i, sums[i], whole);
  }
}

/* Pixels from `begin` to before `end` have windows inside of the row. */
static void find_inside(const et_cpu_window *w, size_t *begin, size_t *end) {
  const size_t reach = (w->kernel_x - 1) * w->dilation_x + 1;
  *begin = (w->left + w->stride_x - 1) / w->stride_x;
  *end = w->width + w->left < reach
             ? 0
             : (w->width + w->left - reach) / w->stride_x + 1;
  *begin = *begin < w->out_width ? *begin : w->out_width;
  *end = *end < w->out_width ? *end : w->out_width;
}

ET_INLINE void fast_lane(const lane *l, int kernel, int stride, bool whole) {
  size_t begin = 0;
  size_t end = 0;
  find_inside(&l->depthwise->window, &begin, &end);
  size_t x = 0;
  for (; x < begin; x++) {
    any_pixel(l, x);
  }
  for (; x + PIXELS <= end; x += PIXELS) {
    four_pixels(l, x, kernel, stride, whole);
  }
  for (; x < l->depthwise->window.out_width; x++) {
    any_pixel(l, x);
  }
}

static void any_lane(const lane *l) {
  for (size_t x = 0; x < l->depthwise->window.out_width; x++) {
    any_pixel(l, x);
  }
}

/* Lanes of fewer channels are fast where masks cost nothing. */
#if defined(ET_CPU_ISA_AVX512)
#define FAST_COUNT(count) ((count) > 0)
#define WHOLE false
#else
#define FAST_COUNT(count) ((count) == ET_CPU_LANES)
#define WHOLE true
#endif

static void lane_3_1(const lane *l) { fast_lane(l, 3, 1, WHOLE); }
static void lane_3_2(const lane *l) { fast_lane(l, 3, 2, WHOLE); }
static void lane_5_1(const lane *l) { fast_lane(l, 5, 1, WHOLE); }
static void lane_5_2(const lane *l) { fast_lane(l, 5, 2, WHOLE); }

typedef void lane_function(const lane *l);

static lane_function *choose(const et_cpu_window *w, size_t count) {
  static lane_function *const fast[2][2] = {{lane_3_1, lane_3_2},
                                            {lane_5_1, lane_5_2}};
  const size_t kernel = w->kernel_x;
  const bool known = (kernel == 3 || kernel == 5) && w->kernel_y == kernel &&
                     (w->stride_x == 1 || w->stride_x == 2) &&
                     w->dilation_x == 1;
  return known && FAST_COUNT(count) ? fast[(kernel - 3) / 2][w->stride_x - 1]
                                    : any_lane;
}

void ET_CPU_NAME(et_cpu_depthwise_f32)(const et_cpu_depthwise *depthwise,
                                       const float *const *rows, float *out) {
  const et_cpu_window *w = &depthwise->window;
  const size_t panel = w->kernel_y * w->kernel_x * ET_PANEL;
  lane l = {.depthwise = depthwise, .rows = rows, .out = out};
  l.low = et_f32_all(et_cpu_clamp_low(&depthwise->activation));
  l.high = et_f32_all(et_cpu_clamp_high(&depthwise->activation));
  for (size_t c = 0; c < depthwise->channels; c += ET_CPU_LANES) {
    const size_t left = depthwise->channels - c;
    l.first = c;
    l.count = left < ET_CPU_LANES ? left : ET_CPU_LANES;
    l.taps = depthwise->taps + c / ET_PANEL * panel + c % ET_PANEL;
    l.bias = et_f32_load(depthwise->bias + c);
    choose(w, l.count)(&l);
  }
  if (et_cpu_is_curve(&depthwise->activation)) {
    const size_t count = w->out_width * depthwise->channels;
    ET_CPU_NAME(et_cpu_activate_f32)
    (&depthwise->activation, out, count, 1, count);
  }
}
