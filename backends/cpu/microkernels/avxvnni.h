/* Detects AVX-VNNI, for which Clang 14 has no builtin. */
#ifndef BACKENDS_CPU_MICROKERNELS_AVXVNNI_H_
#define BACKENDS_CPU_MICROKERNELS_AVXVNNI_H_

#include <stdbool.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static inline bool et_cpu_has_avxvnni(void) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1u << 4) != 0;
}
#endif

#endif /* BACKENDS_CPU_MICROKERNELS_AVXVNNI_H_ */
