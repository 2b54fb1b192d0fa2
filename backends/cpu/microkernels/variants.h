/* Instruction sets, and tables of the functions that are compiled once for each of them. */
#ifndef BACKENDS_CPU_MICROKERNELS_VARIANTS_H_
#define BACKENDS_CPU_MICROKERNELS_VARIANTS_H_

/* Ordered by preference. */
typedef enum et_cpu_isa {
  ET_CPU_PLAIN = 0,
  ET_CPU_AVX2 = 1,    /* with FMA and F16C */
  ET_CPU_AVXVNNI = 2, /* AVX2 and AVX-VNNI; only int8 kernels differ */
  ET_CPU_AVX512 = 3,  /* with F, BW, DQ and VL, and VNNI */
  ET_CPU_NEON = 4,    /* with the dot product extension */
} et_cpu_isa;

#define ET_CPU_ISA_COUNT 5

/* //backends/cpu/microkernels:linked defines ET_CPU_LINKED_* for each instruction set that is
 * linked; see the build setting //backends/cpu:isa. */
#ifdef ET_CPU_LINKED_PLAIN
#define ET_CPU_IF_PLAIN(...) __VA_ARGS__
#else
#define ET_CPU_IF_PLAIN(...)
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
#define ET_CPU_DECLARE(type, name) \
  type name##_plain, name##_avx2, name##_avxvnni, name##_avx512, name##_neon

/* Initializer of a table of variants. Variants that are not linked are NULL.
 *
 *   static et_cpu_gemm_f32_function *const variants[ET_CPU_ISA_COUNT] =
 *       ET_CPU_VARIANTS(et_cpu_gemm_f32);
 *   variants[run->isa](...) */
#define ET_CPU_VARIANTS(name) ET_CPU_VARIANTS_(name, name##_avx2)

/* ET_CPU_VARIANTS for a function with int8 dot products, which has a variant for AVX-VNNI. */
#define ET_CPU_VARIANTS_I8(name) ET_CPU_VARIANTS_(name, name##_avxvnni)

#define ET_CPU_VARIANTS_(name, avxvnni)                            \
  {ET_CPU_IF_PLAIN([ET_CPU_PLAIN] = name##_plain, )                \
       ET_CPU_IF_AVX2([ET_CPU_AVX2] = name##_avx2, )               \
           ET_CPU_IF_AVXVNNI([ET_CPU_AVXVNNI] = avxvnni, )         \
               ET_CPU_IF_AVX512([ET_CPU_AVX512] = name##_avx512, ) \
                   ET_CPU_IF_NEON([ET_CPU_NEON] = name##_neon, )}

#endif /* BACKENDS_CPU_MICROKERNELS_VARIANTS_H_ */
