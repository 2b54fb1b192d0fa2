/* Implements the casts of elementwise.h: dense rows between float32 and float16 or bfloat16.
 *
 * Widening is exact; narrowing rounds to nearest, ties to even (half.h). The tile is one vector of
 * float32; the last one may be partial. Conversions of bfloat16 are bound by memory bandwidth. */
#include "backends/cpu/microkernels/elementwise.h"

#include "backends/cpu/microkernels/half.h"

ET_INLINE void widen(const uint16_t *x, float *y, size_t count,
                     bool is_bfloat) {
  uint16_t rest[ET_CPU_LANES] = {0};
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(y + i, et_half_load(x + i, is_bfloat));
  }
  memcpy(rest, x + i, (count - i) * sizeof(*x));
  et_f32_store_some(y + i, et_half_load(rest, is_bfloat), count - i);
}

void ET_CPU_NAME(et_cpu_widen)(const uint16_t *x, float *y, size_t count,
                               bool is_bfloat) {
  if (is_bfloat) {
    widen(x, y, count, true);
  } else {
    widen(x, y, count, false);
  }
}

ET_INLINE void narrow(const float *x, uint16_t *y, size_t count,
                      bool is_bfloat) {
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    const et_u16 values16 = et_f32_as_half(et_f32_load(x + i), is_bfloat);
    memcpy(y + i, &values16, sizeof(values16));
  }
  const et_f32 rest = et_f32_load_some(x + i, count - i);
  const et_u16 values16 = et_f32_as_half(rest, is_bfloat);
  memcpy(y + i, &values16, (count - i) * sizeof(*y));
}

void ET_CPU_NAME(et_cpu_narrow)(const float *x, uint16_t *y, size_t count,
                                bool is_bfloat) {
  if (is_bfloat) {
    narrow(x, y, count, true);
  } else {
    narrow(x, y, count, false);
  }
}
