/* Loads scales, zero points and minima of quantized weights as float32, and prefetches low-bit
 * weights. */
#ifndef BACKENDS_CPU_MICROKERNELS_PARAMETERS_H_
#define BACKENDS_CPU_MICROKERNELS_PARAMETERS_H_

#include "backends/cpu/microkernels/gemm_qbw.h"
#include "backends/cpu/microkernels/half.h"

/* Prefetch distance of low-bit weights: 112 cache lines. A core that reads 50 bytes per nanosecond
 * with a latency of 130 ns has 100 lines in flight. Compared with 56 lines, a decode step of
 * gemv_qbw is 1.12x faster; with slower memory, it is 1.08x faster than with 32 lines. A decode
 * step of gemm_qd8_qb4w is 1.2x faster than with 40 lines. */
#define ET_PREFETCH_WORDS (112 * ET_CPU_PANEL)

/* Loads a vector of parameters, starting at index `at`. The parameters must be present; scales
 * always are. */
ET_INLINE et_f32 et_scales_load(const et_cpu_parameters *p, size_t at) {
  return p->width == ET_CPU_FLOAT32
             ? et_f32_load((const float *)p->data + at)
             : et_half_load((const uint16_t *)p->data + at,
                            p->width == ET_CPU_BFLOAT16);
}

/* If parameter `at` is the first one of a cache line, prefetches that line. While weights stream
 * in, the hardware prefetcher fetches scales too late. */
ET_INLINE void et_scales_fetch(const et_cpu_parameters *p, size_t at) {
  const size_t bytes =
      at * (p->width == ET_CPU_FLOAT32 ? sizeof(float) : sizeof(uint16_t));
  if (bytes % 64 == 0) {
    et_prefetch_near((const char *)p->data + bytes);
  }
}

/* Loads a vector of parameters, or zeros if they are absent. */
ET_INLINE et_f32 et_parameters_load(const et_cpu_parameters *p, size_t at) {
  return p->data == NULL ? et_f32_all(0.0f) : et_scales_load(p, at);
}

#endif /* BACKENDS_CPU_MICROKERNELS_PARAMETERS_H_ */
