/* Implements et_cpu_add_qs8 of qs8.h: quantized addition in fixed point, as XNNPACK computes it.
 *
 *   y = clamp((start + factors[0] * a + factors[1] * b >> shift) + zero_point, low, high)
 *
 * a, b and y are dense rows of int8 or uint8. The tile is one vector of int32; the sum wraps modulo
 * 2^32. The conversion between int8 and int32 is the bottleneck. */
#include "backends/cpu/microkernels/qs8.h"

#include "backends/cpu/microkernels/simd_i8.h"

typedef struct adder {
  et_u32 factors[2];
  et_u32 start;
  et_i32 zero_point;
  et_i32 low;
  et_i32 high;
  int32_t shift;
  bool is_signed;
} adder;

/* Clamps to [low, high]. Uses min and max intrinsics where they exist, because GCC compiles vector
 * comparisons to masks instead. */
ET_INLINE et_i32 within(const adder *d, et_i32 x) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_i32)_mm512_min_epi32(_mm512_max_epi32((__m512i)x, (__m512i)d->low),
                                  (__m512i)d->high);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_i32)_mm256_min_epi32(_mm256_max_epi32((__m256i)x, (__m256i)d->low),
                                  (__m256i)d->high);
#elif defined(ET_CPU_ISA_NEON)
  return (et_i32)vminq_s32(vmaxq_s32((int32x4_t)x, (int32x4_t)d->low),
                           (int32x4_t)d->high);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_i32)wasm_i32x4_min(wasm_i32x4_max((v128_t)x, (v128_t)d->low),
                                (v128_t)d->high);
#else
  const et_i32 below = x < d->low;
  const et_i32 min = (below & d->low) | (~below & x);
  const et_i32 above = min > d->high;
  return (above & d->high) | (~above & min);
#endif
}

ET_INLINE et_i8_narrow added(const adder *d, const uint8_t *a,
                             const uint8_t *b) {
  const et_u32 sum = d->start +
                     d->factors[0] * (et_u32)et_i32_of_int8(a, d->is_signed) +
                     d->factors[1] * (et_u32)et_i32_of_int8(b, d->is_signed);
  return et_i8_of_i32(within(d, ((et_i32)sum >> d->shift) + d->zero_point));
}

ET_INLINE void add_some(const adder *d, const uint8_t *a, const uint8_t *b,
                        uint8_t *y, size_t count) {
  uint8_t x[2][ET_CPU_LANES] = {{0}};
  memcpy(x[0], a, count);
  memcpy(x[1], b, count);
  const et_i8_narrow done = added(d, x[0], x[1]);
  memcpy(y, &done, count);
}

/* `is_signed` is a compile-time constant at each call site. */
ET_INLINE void add_all(const et_cpu_add_qs8 *add, bool is_signed,
                       const uint8_t *a, const uint8_t *b, uint8_t *y,
                       size_t count) {
  const adder d = {.factors = {(et_u32)et_i32_all(add->factors[0]),
                               (et_u32)et_i32_all(add->factors[1])},
                   .start = (et_u32)et_i32_all(add->start),
                   .zero_point = et_i32_all(add->zero_point),
                   .low = et_i32_all(add->low),
                   .high = et_i32_all(add->high),
                   .shift = add->shift,
                   .is_signed = is_signed};
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    const et_i8_narrow done = added(&d, a + i, b + i);
    memcpy(y + i, &done, sizeof(done));
  }
  if (i < count) {
    add_some(&d, a + i, b + i, y + i, count - i);
  }
}

void ET_CPU_NAME(et_cpu_add_qs8)(const et_cpu_add_qs8 *add, const uint8_t *a,
                                 const uint8_t *b, uint8_t *y, size_t count) {
  if (add->is_signed) {
    add_all(add, true, a, b, y, count);
  } else {
    add_all(add, false, a, b, y, count);
  }
}
