/* Sums of a panel's columns to bytes. */
#ifndef BACKENDS_CPU_SIMD_REQUANTIZE_H_
#define BACKENDS_CPU_SIMD_REQUANTIZE_H_

#include "backends/cpu/simd/quantizer.h"

/* What one panel's columns have in common. */
typedef struct et_requantizer {
  et_i32 start[ET_PANEL_VECTORS]; /* what sums begin with */
  et_f32 scale[ET_PANEL_VECTORS];
  et_f32 bias[ET_PANEL_VECTORS];
  et_quantizer quantizer;
  et_panel_bytes zero_point;
} et_requantizer;

/* Of the panel that begins at `column`, where elements stand `zero_point` above
 * what they mean. */
ET_INLINE et_requantizer et_requantizer_of(const et_cpu_columns_i8 *columns,
                                           const et_cpu_quantizing *quantizing,
                                           int32_t zero_point, size_t column) {
  et_requantizer r;
  r.quantizer = et_quantizer_of(quantizing);
  memset(&r.zero_point, (uint8_t)quantizing->zero_point, sizeof(r.zero_point));
  for (int v = 0; v < ET_PANEL_VECTORS; v++, column += ET_CPU_LANES) {
    r.start[v] = et_i32_all(-zero_point) * et_i32_load(columns->sums + column);
    r.scale[v] = et_f32_load(columns->scale + column);
    r.bias[v] = et_f32_load(columns->bias + column);
  }
  return r;
}

/* The bytes of sums that began with `start`. The low byte of ET_ROUNDING_BITS is
 * 0, so that it needs no taking off. */
ET_INLINE et_panel_bytes et_requantize(const et_requantizer *r,
                                       const et_i32 *sums) {
  const et_quantizer *q = &r->quantizer;
  et_i32 rounded[ET_PANEL_VECTORS];
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_f32 value = et_f32_of_i32(sums[v]) * r->scale[v] + r->bias[v];
    const et_f32 steps = et_f32_clamp(value * q->inverse, q->low, q->high);
    rounded[v] = (et_i32)(steps + et_f32_all(ET_ROUNDING));
  }
  return et_low_bytes(rounded) + r->zero_point;
}

/* Keeps the first `count` columns, all of them when there are more. */
ET_INLINE void et_store_panel(uint8_t *to, et_panel_bytes bytes, size_t count) {
  if (count >= ET_PANEL) {
    memcpy(to, &bytes, ET_PANEL);
  } else {
    memcpy(to, &bytes, count);
  }
}

#endif /* BACKENDS_CPU_SIMD_REQUANTIZE_H_ */
