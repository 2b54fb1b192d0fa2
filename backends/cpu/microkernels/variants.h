/* Instruction sets, and tables of the functions that are compiled once for each of them. */
#ifndef BACKENDS_CPU_MICROKERNELS_VARIANTS_H_
#define BACKENDS_CPU_MICROKERNELS_VARIANTS_H_

/* Ordered by preference. */
typedef enum et_cpu_isa {
  ET_CPU_PLAIN = 0,
  ET_CPU_WASM_SIMD128 = 1,
  ET_CPU_WASM_RELAXED_SIMD = 2, /* with the relaxed multiply-add */
  ET_CPU_WASM_RELAXED_DOT = 3,  /* also with the relaxed dot product of 8-bit
                                   operands; only int8 kernels differ */
  ET_CPU_AVX2 = 4,              /* with FMA and F16C */
  ET_CPU_AVXVNNI = 5, /* AVX2 and AVX-VNNI; only int8 kernels differ */
  ET_CPU_AVX512 = 6,  /* with F, BW, DQ and VL, and VNNI */
  ET_CPU_NEON = 7,    /* with the dot product extension */
} et_cpu_isa;

#define ET_CPU_ISA_COUNT 8

/* //backends/cpu/microkernels:linked defines ET_CPU_LINKED_* for each instruction set that is
 * linked; see the build setting //backends/cpu:isa. */
#ifdef ET_CPU_LINKED_PLAIN
#define ET_CPU_IF_PLAIN(...) __VA_ARGS__
#else
#define ET_CPU_IF_PLAIN(...)
#endif
#ifdef ET_CPU_LINKED_WASM_SIMD128
#define ET_CPU_IF_WASM_SIMD128(...) __VA_ARGS__
#else
#define ET_CPU_IF_WASM_SIMD128(...)
#endif
#ifdef ET_CPU_LINKED_WASM_RELAXED_SIMD
#define ET_CPU_IF_WASM_RELAXED_SIMD(...) __VA_ARGS__
#else
#define ET_CPU_IF_WASM_RELAXED_SIMD(...)
#endif
#ifdef ET_CPU_LINKED_WASM_RELAXED_DOT
#define ET_CPU_IF_WASM_RELAXED_DOT(...) __VA_ARGS__
#else
#define ET_CPU_IF_WASM_RELAXED_DOT(...)
#endif
#ifdef ET_CPU_LINKED_AVX2
#define ET_CPU_IF_AVX2(...) __VA_ARGS__
#else
#define ET_CPU_IF_AVX2(...)
#endif
#ifdef ET_CPU_LINKED_AVXVNNI
#define ET_CPU_IF_AVXVNNI(...) __VA_ARGS__
#else
#define ET_CPU_IF_AVXVNNI(...)
#endif
#ifdef ET_CPU_LINKED_AVX512
#define ET_CPU_IF_AVX512(...) __VA_ARGS__
#else
#define ET_CPU_IF_AVX512(...)
#endif
#ifdef ET_CPU_LINKED_NEON
#define ET_CPU_IF_NEON(...) __VA_ARGS__
#else
#define ET_CPU_IF_NEON(...)
#endif

/* Declares all variants of the function `name` of type `type`. */
#define ET_CPU_DECLARE(type, name)                                         \
  type name##_plain, name##_wasm_simd128, name##_wasm_relaxed_simd,        \
      name##_wasm_relaxed_dot, name##_avx2, name##_avxvnni, name##_avx512, \
      name##_neon

/* Initializer of a table of variants. Variants that are not linked are NULL.
 *
 *   static et_cpu_gemm_f32_function *const variants[ET_CPU_ISA_COUNT] =
 *       ET_CPU_VARIANTS(et_cpu_gemm_f32);
 *   variants[run->isa](...) */
#define ET_CPU_VARIANTS(name) \
  ET_CPU_VARIANTS_(name, name##_avx2, name##_wasm_relaxed_simd)

/* ET_CPU_VARIANTS for a function with int8 dot products, which has variants for AVX-VNNI and for
 * WebAssembly's relaxed dot product. */
#define ET_CPU_VARIANTS_I8(name) \
  ET_CPU_VARIANTS_(name, name##_avxvnni, name##_wasm_relaxed_dot)

#define ET_CPU_VARIANTS_(name, avxvnni, wasm_relaxed_dot)                      \
  {ET_CPU_IF_PLAIN([ET_CPU_PLAIN] = name##_plain, )                            \
       ET_CPU_IF_WASM_SIMD128([ET_CPU_WASM_SIMD128] = name##_wasm_simd128, )   \
           ET_CPU_IF_WASM_RELAXED_SIMD([ET_CPU_WASM_RELAXED_SIMD] =            \
                                           name##_wasm_relaxed_simd, )         \
               ET_CPU_IF_WASM_RELAXED_DOT([ET_CPU_WASM_RELAXED_DOT] =          \
                                              wasm_relaxed_dot, )              \
                   ET_CPU_IF_AVX2([ET_CPU_AVX2] = name##_avx2, )               \
                       ET_CPU_IF_AVXVNNI([ET_CPU_AVXVNNI] = avxvnni, )         \
                           ET_CPU_IF_AVX512([ET_CPU_AVX512] = name##_avx512, ) \
                               ET_CPU_IF_NEON([ET_CPU_NEON] = name##_neon, )}

#endif /* BACKENDS_CPU_MICROKERNELS_VARIANTS_H_ */
