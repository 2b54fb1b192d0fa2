/* Dequantization of vectors: (q - zero_point) * scale. */
#ifndef BACKENDS_CPU_MICROKERNELS_DEQUANTIZE_VECTOR_H_
#define BACKENDS_CPU_MICROKERNELS_DEQUANTIZE_VECTOR_H_

#include "backends/cpu/microkernels/qs8.h"
#include "backends/cpu/microkernels/simd_i8.h"

typedef struct et_reader {
  et_i32 zero_point;
  et_f32 scale;
  bool is_signed;
} et_reader;

ET_INLINE et_reader et_reader_of(const et_cpu_scaled_qs8 *x) {
  const et_reader r = {et_i32_all(x->bytes.zero_point), et_f32_all(x->scale),
                       x->bytes.is_signed};
  return r;
}

/* Loads ET_CPU_LANES quantized values and subtracts the zero point. */
ET_INLINE et_i32 et_read_qs8(const et_reader *r, const uint8_t *from) {
  return et_i32_of_int8(from, r->is_signed) - r->zero_point;
}

/* Loads the first `count` <= ET_CPU_LANES values and subtracts the zero point. The other lanes
 * are unspecified. */
ET_INLINE et_i32 et_read_some_qs8(const et_reader *r, const uint8_t *from,
                                  size_t count) {
  if (count == ET_CPU_LANES) {
    return et_read_qs8(r, from);
  }
  uint8_t some[ET_CPU_LANES] = {0};
  memcpy(some, from, count);
  return et_read_qs8(r, some);
}

ET_INLINE et_f32 et_read_some_numbers(const et_reader *r, const uint8_t *from,
                                      size_t count) {
  return et_f32_of_i32(et_read_some_qs8(r, from, count)) * r->scale;
}

#endif /* BACKENDS_CPU_MICROKERNELS_DEQUANTIZE_VECTOR_H_ */
