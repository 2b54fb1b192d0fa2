/* Requantizes exact int32 accumulators to int8 or uint8.
 *
 *   y = clamp(round(s * scale[n] + bias[n]) + zero_point, low, high), ties to even
 *
 * Accumulators are vectors of columns of one panel. The tile is ET_ROUNDED vectors, which are
 * packed to one vector of bytes. Scales and biases are relative to the output scale. */
#ifndef BACKENDS_CPU_MICROKERNELS_REQUANTIZE_H_
#define BACKENDS_CPU_MICROKERNELS_REQUANTIZE_H_

#include "backends/cpu/microkernels/simd_i8.h"

/* Number of accumulator vectors that are requantized at once, and number of panels that they
 * cover. */
#define ET_ROUNDED 4
#define ET_ROUNDED_PANELS (ET_ROUNDED / ET_PANEL_VECTORS)

/* Requantization parameters of a tensor. */
typedef struct et_rounder {
  et_f32 low; /* relative to the zero point, like `high` */
  et_f32 high;
#if ET_PACKS_LANES
  et_i16 base; /* `low` as int16 */
  et_u8 range; /* `high` - `low` */
#endif
  uint8_t offset; /* added after packing to bytes */
} et_rounder;

/* Requantization parameters of a panel: y = round(sum * scale + bias) + zero point. */
typedef struct et_requantizer {
  et_i32 start[ET_PANEL_VECTORS]; /* initial accumulators */
  et_f32 scale[ET_PANEL_VECTORS]; /* relative to the output scale */
  et_f32 bias[ET_PANEL_VECTORS];
  bool is_far; /* results may not fit in int32 */
} et_requantizer;

ET_INLINE et_rounder
et_rounder_of(const et_cpu_output_quantization *output_quantization) {
  const int32_t low =
      output_quantization->low - output_quantization->zero_point;
  const int32_t high =
      output_quantization->high - output_quantization->zero_point;
  return (et_rounder){
      .low = et_f32_all((float)low),
      .high = et_f32_all((float)high),
#if ET_PACKS_LANES
      .base = (et_i16){0} + (int16_t)low,
      .range = (et_u8){0} + (uint8_t)(high > low ? high - low : 0),
      .offset = (uint8_t)output_quantization->low,
#else
      .offset = (uint8_t)output_quantization->zero_point,
#endif
  };
}

/* Truncates the sum of the weights of a column to 22 bits including the sign, which is enough for
 * any valid column. An invalid payload may have larger sums, which would overflow when they are
 * multiplied by a zero point. */
ET_INLINE et_i32 et_sum_of_int8(et_i32 given) {
  return (et_i32)((et_u32)given << 10) >> 10;
}

/* Returns the initial accumulators of columns, for elements to which `zero_point` has been added.
 * sums: the sums of the columns' weights. */
ET_INLINE et_i32 et_start_of(et_i32 sums, int32_t zero_point) {
  return et_i32_all(-zero_point) * et_sum_of_int8(sums);
}

/* Truncates an int32 bias to 30 bits including the sign, for the same reason as et_sum_of_int8. */
ET_INLINE et_i32 et_start_bias(et_i32 given) {
  return (et_i32)((et_u32)given << 2) >> 2;
}

/* Returns a mask of the lanes in which an int32 accumulator * scale + bias may not fit in int32 or
 * may be NaN. */
ET_INLINE et_i32 et_far_lanes(et_f32 scale, et_f32 bias) {
  return ~((scale <= 0.5f) & (scale >= -0.5f) & (bias <= 0x1p29f) &
           (bias >= -0x1p29f));
}

/* Returns the requantizer of the panel at `column`. */
ET_INLINE et_requantizer
et_requantizer_of(const et_cpu_columns_i8 *columns,
                  const et_cpu_output_quantization *output_quantization,
                  int32_t zero_point, size_t column) {
  et_requantizer r;
  const et_f32 inverse = et_f32_all(output_quantization->inverse);
  et_i32 far = et_i32_all(0);
  for (int v = 0; v < ET_PANEL_VECTORS; v++, column += ET_CPU_LANES) {
    r.start[v] = et_start_of(et_i32_load(columns->sums + column), zero_point);
    r.scale[v] = et_f32_load(columns->scale + column) * inverse;
    r.bias[v] = columns->bias != NULL
                    ? et_f32_load(columns->bias + column) * inverse
                    : et_f32_all(0.0f);
    if (columns->start != NULL) {
      r.start[v] += et_start_bias(et_i32_load(columns->start + column));
    }
    far |= et_far_lanes(r.scale[v], r.bias[v]);
  }
  r.is_far = et_i32_any(far);
  return r;
}

/* Scales accumulators to the output scale, relative to the zero point, without rounding. */
ET_INLINE et_f32 et_steps_of(et_i32 sums, et_f32 scale, et_f32 bias) {
  return et_f32_of_i32(sums) * scale + bias;
}

/* Rounds ET_ROUNDED vectors to bytes, interleaved for et_u8_in_order. If all values fit in int32,
 * the upper bound is applied after packing to bytes, which have four times as many lanes per
 * vector. */
ET_INLINE et_u8 et_rounded(const et_rounder *r, et_f32 *steps, bool is_far) {
#if ET_PACKS_LANES
  if (is_far) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      steps[v] = et_f32_at_most(steps[v], r->high);
    }
    return et_u8_above(steps, r->base) + r->offset;
  }
  const et_u8 above = et_u8_above(steps, r->base);
  return et_u8_at_most(above, r->range) + r->offset;
#else
  (void)is_far;
  /* The low byte of ET_ROUNDING_BITS is 0, so it need not be subtracted. */
  et_i32 rounded[ET_ROUNDED];
  ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
    const et_f32 kept = et_f32_above(et_f32_at_most(steps[v], r->high), r->low);
    rounded[v] = (et_i32)(kept + et_f32_all(ET_ROUNDING));
  }
  return et_low_bytes(rounded) + r->offset;
#endif
}

ET_NOINLINE void et_store_some_of_panel(uint8_t *to, et_panel_bytes bytes,
                                        size_t count) {
  et_copy_few(to, (const uint8_t *)&bytes, count, ET_CPU_PANEL);
}

#if defined(ET_CPU_ISA_AVX512)
/* Returns a mask of the first `count` bytes. `count` is at most 64. */
ET_INLINE __mmask64 et_mask_of(size_t count) {
  return count == 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

/* Stores the bytes of part `index` of `parts` that `mask` selects. See et_u8_store_part. */
ET_INLINE void et_u8_store_mask(uint8_t *to, et_u8 bytes, int index, int parts,
                                __mmask64 mask) {
  if (parts == 1) {
    _mm512_mask_storeu_epi8(to, mask, (__m512i)bytes);
  } else if (parts == 2) {
    const __m256i half = et_half_of(bytes, index);
    _mm256_mask_storeu_epi8(to, (__mmask32)mask, half);
  } else {
    const __m128i panel = (__m128i)et_panel_of(bytes, index);
    _mm_mask_storeu_epi8(to, (__mmask16)mask, panel);
  }
}
#endif

/* Stores the first `count` bytes of part `index` of `parts`. See et_u8_store_part. `count` is less
 * than the size of a part. Without masked stores, a part must have the size of a panel. */
ET_INLINE void et_u8_store_some(uint8_t *to, et_u8 bytes, int index, int parts,
                                size_t count) {
#if defined(ET_CPU_ISA_AVX512)
  et_u8_store_mask(to, bytes, index, parts, et_mask_of(count));
#else
  (void)parts;
  et_store_some_of_panel(to, et_panel_of(bytes, index), count);
#endif
}

#endif /* BACKENDS_CPU_MICROKERNELS_REQUANTIZE_H_ */
