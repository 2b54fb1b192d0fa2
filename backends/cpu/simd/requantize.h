/* Sums of a panel's columns to bytes. */
#ifndef BACKENDS_CPU_SIMD_REQUANTIZE_H_
#define BACKENDS_CPU_SIMD_REQUANTIZE_H_

#include "backends/cpu/simd/quantizer.h"

/* What one panel's columns have in common. */
typedef struct et_requantizer {
  et_i32 start[ET_PANEL_VECTORS];
  et_f32 scale[ET_PANEL_VECTORS];
  et_f32 bias[ET_PANEL_VECTORS];
  et_quantizer quantizer;
} et_requantizer;

/* Of the panel that begins at `column`, where elements stand `zero_point` above
 * what they mean. */
ET_INLINE et_requantizer et_requantizer_of(const et_cpu_columns_i8 *columns,
                                           const et_cpu_quantizing *quantizing,
                                           int32_t zero_point, size_t column) {
  et_requantizer r;
  r.quantizer = et_quantizer_of(quantizing);
  for (int v = 0; v < ET_PANEL_VECTORS; v++, column += ET_CPU_LANES) {
    r.start[v] = et_i32_all(-zero_point) * et_i32_load(columns->sums + column);
    r.scale[v] = et_f32_load(columns->scale + column);
    r.bias[v] = et_f32_load(columns->bias + column);
  }
  return r;
}

/* Sixteen bytes, of which `columns` are kept. */
ET_INLINE void et_requantize(const et_requantizer *r, const et_i32 *sums,
                             uint8_t *to, size_t columns) {
  int8_t row[ET_PANEL];
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_f32 sum = et_f32_of_i32(sums[v] + r->start[v]);
    const et_f32 value = sum * r->scale[v] + r->bias[v];
    const et_i8_narrow done = et_i8_quantized(&r->quantizer, value);
    memcpy(row + v * ET_CPU_LANES, &done, sizeof(done));
  }
  if (columns >= ET_PANEL) {
    memcpy(to, row, ET_PANEL);
  } else {
    memcpy(to, row, columns);
  }
}

#endif /* BACKENDS_CPU_SIMD_REQUANTIZE_H_ */
