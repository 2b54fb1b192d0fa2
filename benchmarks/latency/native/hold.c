/* An audit library (rtld-audit(7)): the dynamic linker calls it for each
 * library that it maps, before that library's code runs. It replaces `cpuid`
 * with `ud2` at the addresses in a table, and emulates `cpuid` without AVX-512
 * when `ud2` traps.
 *
 * LATENCY_HOLD_TABLE is the descriptor of a file of `place` structs; the
 * library closes it. LATENCY_HOLD_ISA is the instruction set to report: avx2 or
 * avxvnni. hold.py sets both. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

#define CPUID_SECOND 0xA2 /* 0F A2 */
#define UD2_SECOND 0x0B   /* 0F 0B */

/* A `cpuid` instruction, by its address in the file. */
typedef struct place {
  uint64_t device, inode, address;
  /* its address in memory after the replacement; 0 before it */
  uint64_t replaced;
} place;

typedef struct answer {
  uint32_t eax, ebx, ecx, edx;
} answer;

static place *places;
static size_t count;
static uint32_t hidden; /* bits to clear in leaf 7, subleaf 1 */

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

static int was_cpuid(uint64_t at) {
  for (size_t i = 0; i < count; i++) {
    if (places[i].replaced == at) {
      return 1;
    }
  }
  return 0;
}

/* Emulates a replaced `cpuid`. For any other illegal instruction, the default
 * action ends the program. */
static void answer_cpuid(int number, siginfo_t *information, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)information;
  if (!was_cpuid((uint64_t)registers[REG_RIP])) {
    signal(number, SIG_DFL);
    return;
  }
  const answer is =
      masked_cpuid((uint32_t)registers[REG_RAX], (uint32_t)registers[REG_RCX]);
  registers[REG_RAX] = is.eax;
  registers[REG_RBX] = is.ebx;
  registers[REG_RCX] = is.ecx;
  registers[REG_RDX] = is.edx;
  registers[REG_RIP] += 2;
}

/* Without a table, nothing is replaced. */
static void read_table(const char *descriptor) {
  struct stat file;
  const int table = descriptor != NULL ? atoi(descriptor) : -1;
  if (table < 0 || fstat(table, &file) != 0) {
    return;
  }
  void *read = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE, table, 0);
  if (read != MAP_FAILED) {
    places = read;
    count = (size_t)file.st_size / sizeof *places;
  }
  close(table);
}

/* Skips a place without a `cpuid`: the file has changed since the table was
 * written. */
static void replace(place *found, uint64_t base) {
  uint8_t *at = (uint8_t *)(uintptr_t)(base + found->address);
  const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uint8_t *second = at + 1;
  void *page = (void *)((uintptr_t)second / size * size);
  if (at[0] != 0x0F || *second != CPUID_SECOND ||
      mprotect(page, size, PROT_READ | PROT_WRITE) != 0) {
    return;
  }
  *second = UD2_SECOND;
  found->replaced = (uint64_t)(uintptr_t)at;
  mprotect(page, size, PROT_READ | PROT_EXEC);
}

unsigned int la_version(unsigned int version) {
  const char *isa = getenv("LATENCY_HOLD_ISA");
  struct sigaction action;
  (void)version;
  hidden = isa != NULL && strcmp(isa, "avxvnni") == 0 ? LEAF7_1_EAX
                                                      : LEAF7_1_EAX | AVX_VNNI;
  read_table(getenv("LATENCY_HOLD_TABLE"));
  memset(&action, 0, sizeof action);
  action.sa_sigaction = answer_cpuid;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, NULL);
  return LAV_CURRENT;
}

unsigned int la_objopen(struct link_map *library, Lmid_t space,
                        uintptr_t *cookie) {
  struct stat file;
  (void)space;
  (void)cookie;
  if (stat(library->l_name, &file) == 0) {
    for (size_t i = 0; i < count; i++) {
      if (places[i].device == file.st_dev && places[i].inode == file.st_ino) {
        replace(&places[i], library->l_addr);
      }
    }
  }
  return 0;
}
