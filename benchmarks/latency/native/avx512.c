#include "benchmarks/latency/native/latency.h"

#include <cpuid.h>
#include <stdint.h>

#define MASKS_AND_WIDE 0xE0u /* state components 5 to 7 */
#define XSAVE_AREA 576       /* legacy region and header */

int bench_shown_isa(void) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 16) != 0) {
    return 2;
  }
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4) != 0;
}

static int tells_use(void) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 27) != 0 &&
         __get_cpuid_count(0xD, 1, &a, &b, &c, &d) && (a & 1u << 2) != 0;
}

void bench_forget_avx512(void) {
  /* A zeroed header marks every component as being in its initial state. */
  static const uint8_t unused[XSAVE_AREA] __attribute__((aligned(64)));
  if (tells_use()) {
    __asm__ volatile("xrstor64 %0"
                     :
                     : "m"(unused), "a"(MASKS_AND_WIDE), "d"(0)
                     : "memory");
  }
}

int bench_used_avx512(void) {
  uint32_t in_use = 0;
  uint32_t high = 0;
  if (!tells_use()) {
    return -1;
  }
  __asm__ volatile("xgetbv" : "=a"(in_use), "=d"(high) : "c"(1));
  return (in_use & MASKS_AND_WIDE) != 0;
}
