#include "backends/cpu/simd/pool.h"

#include "backends/cpu/simd/pool_taps.h"
#include "backends/cpu/simd/simd.h"

/* NaN wins. */
ET_INLINE et_f32 larger(et_f32 x, et_f32 most) {
  return et_f32_select((x > most) | (x != x), x, most);
}

/* The sum or the largest of a window's vectors. */
ET_INLINE et_f32 fold_window(const et_cpu_pool *pool, const float *image,
                             const et_pool_taps *y, const et_pool_taps *x,
                             size_t count, bool maximum) {
  const et_cpu_window *w = &pool->window;
  et_f32 result = et_f32_all(maximum ? -__builtin_inff() : 0.0f);
  for (size_t i = y->first; i < y->end; i++) {
    const size_t row = (y->begin + i * w->dilation_y) * w->width;
    for (size_t j = x->first; j < x->end; j++) {
      const float *at =
          image + (row + x->begin + j * w->dilation_x) * pool->channels;
      const et_f32 value =
          count == ET_CPU_LANES ? et_f32_load(at) : et_f32_load_some(at, count);
      result = maximum ? larger(value, result) : result + value;
    }
  }
  return result;
}

static et_f32 pool_window(const et_cpu_pool *pool, const float *image,
                          const et_pool_taps *y, const et_pool_taps *x,
                          size_t count) {
  if (pool->maximum) {
    return fold_window(pool, image, y, x, count, true);
  }
  return fold_window(pool, image, y, x, count, false) /
         et_f32_all(et_pool_divisor(pool, y, x));
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
    for (size_t c = first; c < first + channels; c += ET_CPU_LANES) {
      const size_t left = first + channels - c;
      const size_t count = left < ET_CPU_LANES ? left : ET_CPU_LANES;
      const et_f32 value = pool_window(pool, image + c, &y, &x, count);
      et_f32_store_some(out + c, value, count);
    }
  }
}
