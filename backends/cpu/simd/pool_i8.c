#include "backends/cpu/simd/pool_i8.h"

#include "backends/cpu/simd/pool_taps.h"
#include "backends/cpu/simd/reader.h"

/* A window of the output, of `count` channels. */
typedef struct window {
  const uint8_t *image;
  const et_pool_taps *y;
  const et_pool_taps *x;
  size_t count;
} window;

ET_INLINE et_i32 larger(et_i32 x, et_i32 y) {
  const et_i32 mask = x > y;
  return (x & mask) | (y & ~mask);
}

/* The sum or the largest of a window's vectors, less zero points. */
ET_INLINE et_i32 fold_window(const et_cpu_pool_i8 *p, const et_reader *reader,
                             const window *at, bool maximum) {
  const et_cpu_window *w = &p->pool.window;
  et_i32 result = et_i32_all(maximum ? INT32_MIN : 0);
  for (size_t i = at->y->first; i < at->y->end; i++) {
    const size_t row = (at->y->begin + i * w->dilation_y) * w->width;
    for (size_t j = at->x->first; j < at->x->end; j++) {
      const size_t pixel = row + at->x->begin + j * w->dilation_x;
      const et_i32 value = et_read_some_bytes(
          reader, at->image + pixel * p->pool.channels, at->count);
      result = maximum ? larger(value, result) : result + value;
    }
  }
  return result;
}

ET_INLINE et_f32 pool_window(const et_cpu_pool_i8 *p, const et_reader *reader,
                             const window *at) {
  if (p->pool.maximum) {
    return et_f32_of_i32(fold_window(p, reader, at, true)) * reader->scale;
  }
  const et_i32 sum = fold_window(p, reader, at, false);
  return et_f32_of_i32(sum) * reader->scale /
         et_f32_all(et_pool_divisor(&p->pool, at->y, at->x));
}

void ET_CPU_NAME(et_cpu_pool_i8)(const et_cpu_pool_i8 *p,
                                 const et_cpu_pool_row_i8 *row) {
  const et_cpu_window *w = &p->pool.window;
  const et_quantizer quantizer = et_quantizer_of(&p->quantizing);
  const et_reader reader = et_reader_of(&p->x);
  const et_pool_taps y = et_find_taps(row->row * w->stride_y - w->top,
                                      w->height, w->kernel_y, w->dilation_y);
  uint8_t *out = row->out;
  for (size_t i = 0; i < w->out_width; i++, out += p->pool.channels) {
    const et_pool_taps x = et_find_taps(i * w->stride_x - w->left, w->width,
                                        w->kernel_x, w->dilation_x);
    const size_t end = row->first + row->channels;
    for (size_t c = row->first; c < end; c += ET_CPU_LANES) {
      const size_t count = end - c < ET_CPU_LANES ? end - c : ET_CPU_LANES;
      const window at = {row->image + c, &y, &x, count};
      const et_i8_narrow done =
          et_i8_quantized(&quantizer, pool_window(p, &reader, &at));
      memcpy(out + c, &done, count);
    }
  }
}
