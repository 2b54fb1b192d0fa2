/* Sums of a panel's columns to bytes. */
#ifndef BACKENDS_CPU_SIMD_REQUANTIZE_H_
#define BACKENDS_CPU_SIMD_REQUANTIZE_H_

#include "backends/cpu/simd/quantizer.h"

/* What one panel's columns have in common. A sum becomes the byte nearest to
 * sum * scale + bias + zero point. */
typedef struct et_requantizer {
  et_i32 start[ET_PANEL_VECTORS]; /* what sums begin with */
  et_f32 scale[ET_PANEL_VECTORS]; /* in steps of the bytes, as `bias` */
  et_f32 bias[ET_PANEL_VECTORS];
  et_f32 low; /* less the zero point, as `high` */
  et_f32 high;
#if defined(ET_CPU_ISA_AVX2)
  et_i16 base; /* as `low` */
#endif
  et_panel_bytes offset; /* what is added to bytes at last */
} et_requantizer;

/* What a sum of as many bytes as a column may have can be: 22 bits with the sign. A
 * payload may say more, which would not fit an int32 once it is multiplied. */
ET_INLINE et_i32 et_sum_of_bytes(et_i32 given) {
  return (et_i32)((et_u32)given << 10) >> 10;
}

/* Of the panel that begins at `column`, where elements stand `zero_point` above
 * what they mean. */
ET_INLINE et_requantizer et_requantizer_of(const et_cpu_columns_i8 *columns,
                                           const et_cpu_quantizing *quantizing,
                                           int32_t zero_point, size_t column) {
  et_requantizer r;
  const et_f32 inverse = et_f32_all(quantizing->inverse);
  r.low = et_f32_all((float)(quantizing->low - quantizing->zero_point));
  r.high = et_f32_all((float)(quantizing->high - quantizing->zero_point));
#if defined(ET_CPU_ISA_AVX2)
  r.base = (et_i16){0} + (int16_t)(quantizing->low - quantizing->zero_point);
  memset(&r.offset, (uint8_t)quantizing->low, sizeof(r.offset));
#else
  memset(&r.offset, (uint8_t)quantizing->zero_point, sizeof(r.offset));
#endif
  for (int v = 0; v < ET_PANEL_VECTORS; v++, column += ET_CPU_LANES) {
    r.start[v] = et_i32_all(-zero_point) *
                 et_sum_of_bytes(et_i32_load(columns->sums + column));
    r.scale[v] = et_f32_load(columns->scale + column) * inverse;
    r.bias[v] = et_f32_load(columns->bias + column) * inverse;
  }
  return r;
}

/* Steps above the zero point that sums stand for, not yet rounded, at most
 * `high`. */
ET_INLINE void et_steps_of(const et_requantizer *r, const et_i32 *sums,
                           et_f32 *steps) {
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_f32 value = et_f32_of_i32(sums[v]) * r->scale[v] + r->bias[v];
    steps[v] = et_f32_at_most(value, r->high);
  }
}

#if defined(ET_CPU_ISA_AVX2)
/* The bytes of two rows of sums that began with `start`. */
ET_INLINE void et_requantize_two(const et_requantizer *r, const et_i32 *first,
                                 const et_i32 *second, et_panel_bytes *bytes) {
  et_f32 a[ET_PANEL_VECTORS];
  et_f32 b[ET_PANEL_VECTORS];
  et_steps_of(r, first, a);
  et_steps_of(r, second, b);
  et_two_panels_above(a, b, r->base, bytes);
  bytes[0] += r->offset;
  bytes[1] += r->offset;
}

ET_INLINE et_panel_bytes et_requantize(const et_requantizer *r,
                                       const et_i32 *sums) {
  et_panel_bytes bytes[2];
  et_requantize_two(r, sums, sums, bytes);
  return bytes[0];
}
#else
/* The bytes of sums that began with `start`. The low byte of ET_ROUNDING_BITS is
 * 0, so that it needs no taking off. */
ET_INLINE et_panel_bytes et_requantize(const et_requantizer *r,
                                       const et_i32 *sums) {
  et_f32 steps[ET_PANEL_VECTORS];
  et_i32 rounded[ET_PANEL_VECTORS];
  et_steps_of(r, sums, steps);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_f32 kept = et_f32_above(steps[v], r->low);
    rounded[v] = (et_i32)(kept + et_f32_all(ET_ROUNDING));
  }
  return et_low_bytes(rounded) + r->offset;
}

ET_INLINE void et_requantize_two(const et_requantizer *r, const et_i32 *first,
                                 const et_i32 *second, et_panel_bytes *bytes) {
  bytes[0] = et_requantize(r, first);
  bytes[1] = et_requantize(r, second);
}
#endif

/* Keeps the first `count` columns, all of them when there are more. */
ET_INLINE void et_store_panel(uint8_t *to, et_panel_bytes bytes, size_t count) {
  if (count >= ET_PANEL) {
    memcpy(to, &bytes, ET_PANEL);
  } else {
    memcpy(to, &bytes, count);
  }
}

#endif /* BACKENDS_CPU_SIMD_REQUANTIZE_H_ */
