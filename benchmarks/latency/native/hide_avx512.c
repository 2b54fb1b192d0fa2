#define _GNU_SOURCE
#include "benchmarks/latency/native/hide_avx512.h"

#if defined(__x86_64__)
#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* Leaf 7: AVX512F, DQ, IFMA, PF, ER, CD, BW, VL. */
#define LEAF7_EBX \
  (1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 3u << 30)
/* VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ. */
#define LEAF7_ECX (1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14)
/* 4VNNIW, 4FMAPS, VP2INTERSECT, AMX-BF16, FP16, AMX-TILE, AMX-INT8. */
#define LEAF7_EDX (1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 7u << 23)
/* Leaf 7, subleaf 1: AVX512-BF16, AMX-FP16, AVX-IFMA. */
#define LEAF7_1_EAX (1u << 5 | 1u << 21 | 1u << 23)
#define AVX_VNNI (1u << 4)
/* AVX-VNNI-INT8, AVX-NE-CONVERT, AMX-COMPLEX, AVX-VNNI-INT16, AVX10. */
#define LEAF7_1_EDX (1u << 4 | 1u << 5 | 1u << 8 | 1u << 10 | 1u << 19)

static uint32_t hidden = LEAF7_1_EAX; /* of leaf 7, subleaf 1 */

typedef struct answer {
  uint32_t eax, ebx, ecx, edx;
} answer;

/* Whether `cpuid` is allowed or faults on this thread. */
static long allow_cpuid(int allowed) {
  return syscall(SYS_arch_prctl, ARCH_SET_CPUID, (unsigned long)allowed);
}

static answer masked_cpuid(uint32_t leaf, uint32_t subleaf) {
  answer is;
  __cpuid_count(leaf, subleaf, is.eax, is.ebx, is.ecx, is.edx);
  if (leaf == 7 && subleaf == 0) {
    is.ebx &= ~LEAF7_EBX;
    is.ecx &= ~LEAF7_ECX;
    is.edx &= ~LEAF7_EDX;
  } else if (leaf == 7 && subleaf == 1) {
    is.eax &= ~hidden;
    is.edx &= ~LEAF7_1_EDX;
  }
  return is;
}

static int is_cpuid(const greg_t *registers) {
  static const uint8_t instruction[2] = {0x0F, 0xA2};
  const void *at = (const void *)(uintptr_t)registers[REG_RIP];
  return at != NULL && memcmp(at, instruction, sizeof instruction) == 0;
}

/* Executes a `cpuid` that faulted; another fault happens again, and ends the
 * program as it would have. */
static void answer_cpuid(int number, siginfo_t *information, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)information;
  if (!is_cpuid(registers)) {
    signal(number, SIG_DFL);
    return;
  }
  allow_cpuid(1);
  const answer is =
      masked_cpuid((uint32_t)registers[REG_RAX], (uint32_t)registers[REG_RCX]);
  allow_cpuid(0);
  registers[REG_RAX] = is.eax;
  registers[REG_RBX] = is.ebx;
  registers[REG_RCX] = is.ecx;
  registers[REG_RDX] = is.edx;
  registers[REG_RIP] += 2;
}

int bench_hide_avx512(int and_vnni) {
  struct sigaction action;
  hidden = and_vnni ? LEAF7_1_EAX | AVX_VNNI : LEAF7_1_EAX;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = answer_cpuid;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSEGV, &action, NULL) != 0 || allow_cpuid(0) != 0) {
    return -1;
  }
  return 0;
}

#else

int bench_hide_avx512(int and_vnni) {
  (void)and_vnni;
  return -1;
}

#endif
