/* Implements pool_qs8.h: y = quantize(pool(x - zero_point) * scale), one output row per call.
 *
 * x is [height, width, channels]. Maxima are computed on the 8-bit values, for BYTES channels of a
 * pixel at once, and requantized only if x and y have different quantizations. Averages, and the
 * remaining channels, are computed in int32, one vector at a time. Loads are the bottleneck. */
#include "backends/cpu/microkernels/pool_qs8.h"

#include "backends/cpu/microkernels/dequantize_vector.h"
#include "backends/cpu/microkernels/pool_taps.h"

/* Window of an output pixel, for `count` channels. */
typedef struct window {
  const uint8_t *image;
  const et_pool_taps *y;
  const et_pool_taps *x;
  size_t count;
} window;

ET_INLINE et_i32 max_i32(et_i32 x, et_i32 y) {
  const et_i32 mask = x > y;
  return (x & mask) | (y & ~mask);
}

/* Returns the sum or the maximum of the window, relative to the zero point. */
ET_INLINE et_i32 fold_window(const et_cpu_pool_qs8 *p, const et_reader *reader,
                             const window *at, bool maximum) {
  const et_cpu_window *w = &p->pool.window;
  et_i32 result = et_i32_all(maximum ? INT32_MIN : 0);
  for (size_t i = at->y->first; i < at->y->end; i++) {
    const size_t row = (at->y->begin + i * w->dilation_y) * w->width;
    for (size_t j = at->x->first; j < at->x->end; j++) {
      const size_t pixel = row + at->x->begin + j * w->dilation_x;
      const et_i32 value = et_read_some_qs8(
          reader, at->image + pixel * p->pool.channels, at->count);
      result = maximum ? max_i32(value, result) : result + value;
    }
  }
  return result;
}

ET_INLINE et_u8 max_u8(et_u8 x, et_u8 y) {
#if ET_PACKS_LANES
  return (et_u8)ET_OF_WIDTH(max_epu8)((et_bits)x, (et_bits)y);
#elif defined(ET_CPU_ISA_NEON)
  return (et_u8)vmaxq_u8((uint8x16_t)x, (uint8x16_t)y);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_u8)wasm_u8x16_max((v128_t)x, (v128_t)y);
#else
  const et_u8 mask = (et_u8)(x > y);
  return (x & mask) | (y & ~mask);
#endif
}

/* Returns the maxima of a window with at least one tap, for BYTES channels. sign: 128 for int8, so
 * that an XOR makes the comparisons unsigned; 0 for uint8. */
#define BYTES (4 * ET_CPU_LANES)
ET_INLINE et_u8 max_of_window(const et_cpu_pool_qs8 *p, const window *at,
                              et_u8 sign) {
  const et_cpu_window *w = &p->pool.window;
  et_u8 result = {0};
  for (size_t i = at->y->first; i < at->y->end; i++) {
    const size_t row = (at->y->begin + i * w->dilation_y) * w->width;
    for (size_t j = at->x->first; j < at->x->end; j++) {
      const size_t pixel = row + at->x->begin + j * w->dilation_x;
      et_u8 bytes;
      memcpy(&bytes, at->image + pixel * p->pool.channels, sizeof(bytes));
      result = max_u8(result, bytes ^ sign);
    }
  }
  return result ^ sign;
}

/* Computes maxima of BYTES channels, without dequantization, which would not change the order. */
ET_INLINE void store_maxima(const et_cpu_pool_qs8 *p, const et_reader *reader,
                            const et_quantizer *quantizer, const window *at,
                            uint8_t *out) {
  const et_u8 sign = (et_u8){0} + (uint8_t)(reader->is_signed ? 128 : 0);
  const et_u8 largest = max_of_window(p, at, sign);
  if (p->keeps_values) {
    memcpy(out, &largest, sizeof(largest));
    return;
  }
  uint8_t bytes[BYTES];
  memcpy(bytes, &largest, sizeof(bytes));
  for (size_t i = 0; i < BYTES; i += ET_CPU_LANES) {
    const et_f32 number =
        et_f32_of_i32(et_read_qs8(reader, bytes + i)) * reader->scale;
    const et_i8_narrow done = et_i8_quantized(quantizer, number);
    memcpy(out + i, &done, sizeof(done));
  }
}

ET_INLINE bool has_taps(const et_pool_taps *taps) {
  return taps->first < taps->end;
}

ET_INLINE et_f32 pool_window(const et_cpu_pool_qs8 *p, const et_reader *reader,
                             const window *at) {
  if (p->pool.maximum) {
    return et_f32_of_i32(fold_window(p, reader, at, true)) * reader->scale;
  }
  const et_i32 sum = fold_window(p, reader, at, false);
  return et_f32_of_i32(sum) * reader->scale /
         et_f32_all(et_pool_divisor(&p->pool, at->y, at->x));
}

void ET_CPU_NAME(et_cpu_pool_qs8)(const et_cpu_pool_qs8 *p,
                                  const et_cpu_pool_row_i8 *row) {
  const et_cpu_window *w = &p->pool.window;
  const et_quantizer quantizer = et_quantizer_of(&p->output_quantization);
  const et_reader reader = et_reader_of(&p->x);
  const et_pool_taps y = et_find_taps(row->row * w->stride_y - w->top,
                                      w->height, w->kernel_y, w->dilation_y);
  uint8_t *out = row->out;
  for (size_t i = 0; i < w->out_width; i++, out += p->pool.channels) {
    const et_pool_taps x = et_find_taps(i * w->stride_x - w->left, w->width,
                                        w->kernel_x, w->dilation_x);
    const size_t end = row->first + row->channels;
    size_t c = row->first;
    if (p->pool.maximum && has_taps(&y) && has_taps(&x)) {
      for (; end - c >= BYTES; c += BYTES) {
        const window at = {row->image + c, &y, &x, BYTES};
        store_maxima(p, &reader, &quantizer, &at, out + c);
      }
    }
    for (; c < end; c += ET_CPU_LANES) {
      const size_t count = end - c < ET_CPU_LANES ? end - c : ET_CPU_LANES;
      const window at = {row->image + c, &y, &x, count};
      const et_i8_narrow done =
          et_i8_quantized(&quantizer, pool_window(p, &reader, &at));
      memcpy(out + c, &done, count);
    }
  }
}
