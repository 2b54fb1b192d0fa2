/* Implements pool.h: average or maximum pooling of float32 images, one output row per call.
 *
 * x is [height, width, channels]. The tile is VECTORS vectors of channels of one pixel. It visits
 * the taps inside the image (pool_taps.h) in order. Loads are the bottleneck. */
#include "backends/cpu/microkernels/pool.h"

#include "backends/cpu/microkernels/pool_taps.h"
#include "backends/cpu/microkernels/simd.h"

/* Number of vectors of a pixel that are accumulated at once, to hide the three-cycle latency of
 * additions. An AVX-512 vector has as many lanes as two AVX2 vectors, so one is enough and saves
 * code. */
#if defined(ET_CPU_ISA_AVX512)
#define VECTORS 1
#else
#define VECTORS 2
#endif

/* Computes the average or the maximum of a window, for some vectors of channels. The last
 * vector has `count` lanes. */
ET_INLINE void pool_window(const et_cpu_pool *pool, const float *image,
                           const et_pool_taps *y, const et_pool_taps *x,
                           float divisor, int vectors, size_t count,
                           float *out) {
  const et_cpu_window *w = &pool->window;
  const bool maximum = pool->maximum;
  et_f32 sums[VECTORS];
  ET_UNROLL for (int v = 0; v < vectors; v++) {
    sums[v] = et_f32_all(maximum ? -__builtin_inff() : 0.0f);
  }
  for (size_t i = y->first; i < y->end; i++) {
    const size_t row = (y->begin + i * w->dilation_y) * w->width;
    for (size_t j = x->first; j < x->end; j++) {
      const float *at =
          image + (row + x->begin + j * w->dilation_x) * pool->channels;
      ET_UNROLL for (int v = 0; v < vectors; v++, at += ET_CPU_LANES) {
        const et_f32 value = vectors > 1 || count == ET_CPU_LANES
                                 ? et_f32_load(at)
                                 : et_f32_load_some(at, count);
        sums[v] = maximum ? et_f32_max(value, sums[v]) : sums[v] + value;
      }
    }
  }
  ET_UNROLL for (int v = 0; v < vectors; v++, out += ET_CPU_LANES) {
    const et_f32 result = sums[v] / et_f32_all(divisor);
    if (vectors > 1) {
      et_f32_store(out, result);
    } else {
      et_f32_store_some(out, result, count);
    }
  }
}

static void pool_pixel(const et_cpu_pool *pool, const float *image,
                       const et_pool_taps *y, const et_pool_taps *x,
                       size_t channels, float *out) {
  const float divisor = pool->maximum ? 1.0f : et_pool_divisor(pool, y, x);
  const size_t step = VECTORS * ET_CPU_LANES;
  for (; VECTORS > 1 && channels >= step;
       channels -= step, image += step, out += step) {
    pool_window(pool, image, y, x, divisor, VECTORS, ET_CPU_LANES, out);
  }
  while (channels > 0) {
    const size_t count = channels < ET_CPU_LANES ? channels : ET_CPU_LANES;
    pool_window(pool, image, y, x, divisor, 1, count, out);
    image += count;
    out += count;
    channels -= count;
  }
}

void ET_CPU_NAME(et_cpu_pool_f32)(const et_cpu_pool *pool, const float *image,
                                  size_t row, size_t first, size_t channels,
                                  float *out) {
  const et_cpu_window *w = &pool->window;
  const et_pool_taps y = et_find_taps(row * w->stride_y - w->top, w->height,
                                      w->kernel_y, w->dilation_y);
  for (size_t i = 0; i < w->out_width; i++, out += pool->channels) {
    const et_pool_taps x = et_find_taps(i * w->stride_x - w->left, w->width,
                                        w->kernel_x, w->dilation_x);
    pool_pixel(pool, image + first, &y, &x, channels, out + first);
  }
}
