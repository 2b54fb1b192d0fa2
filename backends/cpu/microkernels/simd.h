/* Float32 vectors of the instruction set that a file is compiled for.
 *
 * Files that include this header are compiled once per instruction set (variants.bzl), each time
 * with one ET_CPU_ISA_* macro. They use the vector extensions of GCC and Clang. Intrinsics are used
 * only where those extensions do not suffice, mostly in this header and simd_i8.h. Only et_f32_fma
 * fuses operations. Results are therefore bit-identical on every instruction set with a fused
 * multiply-add, whatever its vector width. They are also bit-identical on the instruction sets
 * without one (ET_CPU_ROUNDS_TWICE). */
#ifndef BACKENDS_CPU_MICROKERNELS_SIMD_H_
#define BACKENDS_CPU_MICROKERNELS_SIMD_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu/schema/kernel_sizes.h"

#if defined(ET_CPU_ISA_AVXVNNI)
#define ET_CPU_ISA_AVX2 /* AVX-VNNI adds int8 dot products */
#endif
#if defined(ET_CPU_ISA_WASM_RELAXED_DOT)
#define ET_CPU_ISA_WASM_RELAXED_SIMD /* adds int8 dot products as well */
#endif
#if defined(ET_CPU_ISA_WASM_RELAXED_SIMD)
#define ET_CPU_ISA_WASM_SIMD128
#endif

#if defined(ET_CPU_ISA_AVX512)
#include <immintrin.h>
#define ET_CPU_SUFFIX avx512
#define ET_CPU_LANES 16
#define ET_CPU_REGISTER "v"
#elif defined(ET_CPU_ISA_AVX2)
#include <immintrin.h>
#if defined(ET_CPU_ISA_AVXVNNI)
#define ET_CPU_SUFFIX avxvnni
#define ET_CPU_FLOAT_SUFFIX avx2
#else
#define ET_CPU_SUFFIX avx2
#endif
#define ET_CPU_LANES 8
#define ET_CPU_REGISTER "x"
#elif defined(ET_CPU_ISA_NEON)
#include <arm_neon.h>
#define ET_CPU_SUFFIX neon
#define ET_CPU_LANES 4
#define ET_CPU_REGISTER "w"
#elif defined(ET_CPU_ISA_WASM_SIMD128)
#include <wasm_simd128.h>
#if defined(ET_CPU_ISA_WASM_RELAXED_DOT)
#define ET_CPU_SUFFIX wasm_relaxed_dot
#define ET_CPU_FLOAT_SUFFIX wasm_relaxed_simd
#elif defined(ET_CPU_ISA_WASM_RELAXED_SIMD)
#define ET_CPU_SUFFIX wasm_relaxed_simd
#else
#define ET_CPU_SUFFIX wasm_simd128
#endif
#define ET_CPU_LANES 4
#elif defined(ET_CPU_ISA_PLAIN)
#define ET_CPU_SUFFIX plain
#define ET_CPU_LANES 4
#else
#error \
    "no ET_CPU_ISA_* is defined; the build rule that compiles this file must define one"
#endif

/* Whether a multiply-add rounds twice: the instruction set has no fused one. */
#if defined(ET_CPU_ISA_PLAIN) || (defined(ET_CPU_ISA_WASM_SIMD128) && \
                                  !defined(ET_CPU_ISA_WASM_RELAXED_SIMD))
#define ET_CPU_ROUNDS_TWICE 1
#else
#define ET_CPU_ROUNDS_TWICE 0
#endif

#define ET_CPU_JOIN_(name, suffix) name##_##suffix
#define ET_CPU_JOIN(name, suffix) ET_CPU_JOIN_(name, suffix)
/* Name of a variant: et_cpu_tiles -> et_cpu_tiles_avx2. */
#define ET_CPU_NAME(name) ET_CPU_JOIN(name, ET_CPU_SUFFIX)
/* Name of a variant without int8 dot products. AVX-VNNI uses the AVX2 variant. */
#if !defined(ET_CPU_FLOAT_SUFFIX)
#define ET_CPU_FLOAT_SUFFIX ET_CPU_SUFFIX
#endif
#define ET_CPU_FLOAT_NAME(name) ET_CPU_JOIN(name, ET_CPU_FLOAT_SUFFIX)

#define ET_INLINE static inline __attribute__((always_inline, unused))

/* Marks a function that is not inlined. Clang does not clone it. GCC must not analyze it: if GCC
 * knows that a call does not touch vector registers, it omits vzeroupper before the return. */
#if defined(__GNUC__) && !defined(__clang__)
#define ET_NOINLINE static __attribute__((noipa, unused))
#else
#define ET_NOINLINE static __attribute__((noinline, unused))
#endif

#define ET_PANEL_VECTORS (ET_CPU_PANEL / ET_CPU_LANES)

typedef float et_f32 __attribute__((vector_size(4 * ET_CPU_LANES)));
typedef int32_t et_i32 __attribute__((vector_size(4 * ET_CPU_LANES)));
typedef uint32_t et_u32 __attribute__((vector_size(4 * ET_CPU_LANES)));
typedef float et_f32_loose
    __attribute__((vector_size(4 * ET_CPU_LANES), aligned(4), may_alias));

/* Unrolls a loop over vectors that has constant bounds. An array stays in registers only if all of
 * its indices are constants. */
#if defined(__clang__)
#define ET_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ET_UNROLL _Pragma("GCC unroll 16")
#endif

/* Keeps a vector in a register from here on. Without it, GCC moves loads next to their uses and
 * spills accumulators instead. Clang does not spill them, and it does not unroll loops that contain
 * asm statements. */
#if defined(__clang__)
#define ET_PIN(vector) ((void)(vector))
#elif defined(ET_CPU_REGISTER)
#define ET_PIN(vector) __asm__("" : "+" ET_CPU_REGISTER(vector))
#elif defined(__x86_64__)
#define ET_PIN(vector) __asm__("" : "+x"(vector))
#else
#define ET_PIN(vector) ((void)(vector))
#endif

/* Like ET_PIN, and also preserves the order of the pinned vectors. */
#if defined(__clang__) || !defined(ET_CPU_REGISTER)
#define ET_PIN_ORDER(vector) ((void)(vector))
#else
#define ET_PIN_ORDER(vector) __asm__ volatile("" : "+" ET_CPU_REGISTER(vector))
#endif

/* Makes several addresses share one index. Otherwise, GCC keeps a counter for each. */
#if defined(__clang__)
#define ET_PIN_INDEX(index) ((void)(index))
#else
#define ET_PIN_INDEX(index) __asm__("" : "+r"(index))
#endif

ET_INLINE et_f32 et_f32_load(const float *from) {
  return *(const et_f32_loose *)from;
}

ET_INLINE void et_f32_store(float *to, et_f32 value) {
  *(et_f32_loose *)to = value;
}

ET_INLINE et_f32 et_f32_all(float value) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_set1_ps(value);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_set1_ps(value);
#else
  return (et_f32){value, value, value, value};
#endif
}

/* Returns a * b + c, rounded once; rounded twice if ET_CPU_ROUNDS_TWICE, or if a WebAssembly engine
 * does not fuse its relaxed multiply-add. */
ET_INLINE et_f32 et_f32_fma(et_f32 a, et_f32 b, et_f32 c) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(ET_CPU_ISA_NEON)
  return (et_f32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(ET_CPU_ISA_WASM_RELAXED_SIMD)
  return (et_f32)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
#else
  return a * b + c;
#endif
}

ET_INLINE et_f32 et_f32_sqrt(et_f32 x) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_sqrt_ps((__m512)x);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_sqrt_ps((__m256)x);
#elif defined(ET_CPU_ISA_NEON)
  return (et_f32)vsqrtq_f32((float32x4_t)x);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_f32)wasm_f32x4_sqrt((v128_t)x);
#else
  for (int i = 0; i < ET_CPU_LANES; i++) {
    x[i] = __builtin_sqrtf(x[i]);
  }
  return x;
#endif
}

/* Returns the lanes of `a` where `mask` is set, and of `b` elsewhere. */
ET_INLINE et_f32 et_f32_select(et_i32 mask, et_f32 a, et_f32 b) {
#if defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_f32)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
#else
  return (et_f32)((mask & (et_i32)a) | (~mask & (et_i32)b));
#endif
}

/* Returns the maximum, or NaN if an operand is NaN. */
ET_INLINE et_f32 et_f32_max(et_f32 a, et_f32 b) {
  return et_f32_select((a > b) | (a != a), a, b);
}

/* Returns the minimum, or NaN if an operand is NaN. */
ET_INLINE et_f32 et_f32_min(et_f32 a, et_f32 b) {
  return et_f32_select((a < b) | (a != a), a, b);
}

/* Returns max(x, low). NaN stays NaN. If both are zeros of different signs, the result is `x`,
 * because the x86 instruction returns its second operand. */
ET_INLINE et_f32 et_f32_at_least(et_f32 x, et_f32 low) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_max_ps((__m512)low, (__m512)x);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_max_ps((__m256)low, (__m256)x);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_f32)wasm_f32x4_pmax((v128_t)x, (v128_t)low);
#else
  return et_f32_select(x < low, low, x);
#endif
}

/* Returns max(x, low), with NaN replaced by `low`. */
ET_INLINE et_f32 et_f32_above(et_f32 x, et_f32 low) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_max_ps((__m512)x, (__m512)low);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_max_ps((__m256)x, (__m256)low);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_f32)wasm_f32x4_pmax((v128_t)low, (v128_t)x);
#else
  return et_f32_select(x > low, x, low);
#endif
}

ET_INLINE et_f32 et_f32_at_most(et_f32 x, et_f32 high) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_min_ps((__m512)high, (__m512)x);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_min_ps((__m256)high, (__m256)x);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_f32)wasm_f32x4_pmin((v128_t)x, (v128_t)high);
#else
  return et_f32_select(x > high, high, x);
#endif
}

/* Returns min(x, high), with NaN replaced by `high`. */
ET_INLINE et_f32 et_f32_below(et_f32 x, et_f32 high) {
#if defined(ET_CPU_ISA_AVX512)
  return (et_f32)_mm512_min_ps((__m512)x, (__m512)high);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_min_ps((__m256)x, (__m256)high);
#elif defined(ET_CPU_ISA_WASM_SIMD128)
  return (et_f32)wasm_f32x4_pmin((v128_t)high, (v128_t)x);
#else
  return et_f32_select(x < high, x, high);
#endif
}

ET_INLINE et_f32 et_f32_clamp(et_f32 x, et_f32 low, et_f32 high) {
  return et_f32_at_most(et_f32_at_least(x, low), high);
}

/* Load and store the first `count` <= ET_CPU_LANES lanes. Other elements are not accessed, and
 * their lanes are loaded as 0. */
#if defined(ET_CPU_ISA_AVX2)
/* Returns a mask with the first `count` lanes set. */
ET_INLINE __m256i et_first_of_eight(size_t count) {
  const __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), ramp);
}
#endif

ET_INLINE et_f32 et_f32_load_some(const float *from, size_t count) {
#if defined(ET_CPU_ISA_AVX512)
  const __mmask16 mask = (__mmask16)((1u << count) - 1u);
  return (et_f32)_mm512_maskz_loadu_ps(mask, from);
#elif defined(ET_CPU_ISA_AVX2)
  return (et_f32)_mm256_maskload_ps(from, et_first_of_eight(count));
#else
  float lanes[ET_CPU_LANES] = {0};
  memcpy(lanes, from, count * sizeof(float));
  return et_f32_load(lanes);
#endif
}

ET_INLINE void et_f32_store_some(float *to, et_f32 value, size_t count) {
#if defined(ET_CPU_ISA_AVX512)
  const __mmask16 mask = (__mmask16)((1u << count) - 1u);
  _mm512_mask_storeu_ps(to, mask, (__m512)value);
#elif defined(ET_CPU_ISA_AVX2)
  _mm256_maskstore_ps(to, et_first_of_eight(count), (__m256)value);
#else
  float lanes[ET_CPU_LANES];
  et_f32_store(lanes, value);
  memcpy(to, lanes, count * sizeof(float));
#endif
}

/* Prefetches into the L2 cache. */
ET_INLINE void et_prefetch(const void *from) { __builtin_prefetch(from, 0, 2); }

/* Prefetches into the L1 cache. */
ET_INLINE void et_prefetch_near(const void *from) {
  __builtin_prefetch(from, 0, 3);
}

#endif /* BACKENDS_CPU_MICROKERNELS_SIMD_H_ */
