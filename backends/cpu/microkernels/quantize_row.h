/* Dynamic quantization of a float32 row to 8 bits: q = round(x / scale) + zero_point.
 *
 * The range of a row is that of its elements, extended to include 0: scale = (max - min) / 255,
 * zero_point = round(-min / scale). */
#ifndef BACKENDS_CPU_MICROKERNELS_QUANTIZE_ROW_H_
#define BACKENDS_CPU_MICROKERNELS_QUANTIZE_ROW_H_

#include <float.h>
#include <math.h>

#include "backends/cpu/microkernels/rows.h"
#include "backends/cpu/microkernels/simd_i8.h"

/* A quantized value q represents (q - zero_point) * scale. */
typedef struct et_row_qd8 {
  float scale;
  float inverse;
  int32_t zero_point;
} et_row_qd8;

/* Loads the first `count` lanes, at most ET_CPU_LANES. The others are 0. */
ET_INLINE et_f32 et_load_first(const float *from, size_t count) {
  return count >= ET_CPU_LANES ? et_f32_load(from)
                               : et_f32_load_some(from, count);
}

ET_INLINE void et_store_first(float *to, et_f32 value, size_t count) {
  if (count >= ET_CPU_LANES) {
    et_f32_store(to, value);
  } else {
    et_f32_store_some(to, value, count);
  }
}

/* Returns the parameters for quantized values from 0 to 255, one of which represents 0 exactly. NaN
 * elements are ignored. */
ET_NOINLINE et_row_qd8 et_row_qd8_of(const float *x, size_t count) {
  et_f32 minima = et_f32_all(0.0f);
  et_f32 highs = et_f32_all(0.0f);
  float low = 0.0f;
  float high = 0.0f;
  for (size_t i = 0; i < count; i += ET_CPU_LANES) {
    const et_f32 next = et_load_first(x + i, count - i);
    minima = et_f32_below(next, minima);
    highs = et_f32_above(next, highs);
  }
  for (int i = 0; i < ET_CPU_LANES; i++) {
    low = minima[i] < low ? minima[i] : low;
    high = highs[i] > high ? highs[i] : high;
  }
  const float step = (high - low) / 255.0f;
  const float scale = step > FLT_EPSILON ? step : FLT_EPSILON;
  const float zero_point = fminf(-rintf(low / scale), 255.0f);
  return (et_row_qd8){scale, 1.0f / scale,
                      zero_point > 0.0f ? (int32_t)zero_point : 0};
}

/* Returns integers from -zero_point to 255 - zero_point. NaN becomes the largest value. */
ET_INLINE et_i32 et_row_steps(const et_row_qd8 *row, et_f32 x) {
  const et_f32 low = et_f32_all((float)-row->zero_point);
  const et_f32 high = et_f32_all((float)(255 - row->zero_point));
  const et_f32 kept = et_f32_below(x * et_f32_all(row->inverse), high);
  return et_i32_nearest(et_f32_at_least(kept, low), 0);
}

/* Writes quantized values plus `shift`. Returns the sum of the values relative to the zero
 * point. */
ET_NOINLINE int32_t et_quantize_row(const et_row_qd8 *row, const float *x,
                                    size_t count, int32_t shift, uint8_t *to) {
  const et_row_qd8 own = *row; /* a local copy, which stores cannot alias */
  const et_i32 up = et_i32_all(own.zero_point + shift);
  et_i32 totals = et_i32_all(0);
  for (size_t i = 0; i < count; i += ET_CPU_LANES) {
    const et_i32 steps = et_row_steps(&own, et_load_first(x + i, count - i));
    const et_i8_narrow bytes = et_i8_of_i32(steps + up);
    totals += steps;
    if (count - i >= ET_CPU_LANES) {
      memcpy(to + i, &bytes, sizeof(bytes));
    } else {
      memcpy(to + i, &bytes, count - i);
    }
  }
  return et_i32_total(totals);
}

#endif /* BACKENDS_CPU_MICROKERNELS_QUANTIZE_ROW_H_ */
