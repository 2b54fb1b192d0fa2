#include "backends/cpu/runtime/isa.h"

#include <string.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/ops/op_schema.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(ET_CPU_LINKED_WASM_RELAXED_DOT)
#include <wasm_simd128.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif
#endif

/* Values of the option "isa", indexed by et_cpu_isa. */
static const char *const names[ET_CPU_ISA_COUNT] = {"plain",
                                                    "wasm_simd128",
                                                    "wasm_relaxed_simd",
                                                    "wasm_relaxed_dot",
                                                    "avx2",
                                                    "avxvnni",
                                                    "avx512",
                                                    "neon"};

/* These are constants, so that the compiler removes the detection code of unlinked instruction
 * sets. */
enum {
  PLAIN_LINKED = ET_CPU_IF_PLAIN(1 +) 0,
  WASM_SIMD128_LINKED = ET_CPU_IF_WASM_SIMD128(1 +) 0,
  WASM_RELAXED_SIMD_LINKED = ET_CPU_IF_WASM_RELAXED_SIMD(1 +) 0,
  WASM_RELAXED_DOT_LINKED = ET_CPU_IF_WASM_RELAXED_DOT(1 +) 0,
  AVX2_LINKED = ET_CPU_IF_AVX2(1 +) 0,
  AVXVNNI_LINKED = ET_CPU_IF_AVXVNNI(1 +) 0,
  AVX512_LINKED = ET_CPU_IF_AVX512(1 +) 0,
  NEON_LINKED = ET_CPU_IF_NEON(1 +) 0
};

/* __builtin_cpu_supports is not used, because it needs the CPU model of libgcc or compiler-rt. With
 * Zig's runtime library, which has no CPU model, it returns false. */
#if defined(__x86_64__) || defined(__i386__)
/* Registers that the operating system saves (XCR0). */
#define SAVES_AVX 0x06u    /* XMM and YMM */
#define SAVES_AVX512 0xe6u /* also opmasks and ZMM */

static bool saves_registers(unsigned registers) {
  unsigned a = 0;
  unsigned d = 0;
  __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return (a & registers) == registers;
}

static bool has_avx2(void) {
  const unsigned features = bit_OSXSAVE | bit_FMA | bit_F16C;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & features) == features &&
         saves_registers(SAVES_AVX) &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0;
}

/* bit_AVXVNNI is not defined by Clang 14. */
static bool has_avxvnni(void) {
  const unsigned feature = 1u << 4;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 &&
         (a & feature) != 0;
}

#ifdef __APPLE__
/* On macOS, XCR0 includes these registers only after a thread has used them. */
static bool saves_avx512(void) {
  int is_saved = 0;
  size_t size = sizeof is_saved;
  return sysctlbyname("hw.optional.avx512f", &is_saved, &size, NULL, 0) == 0 &&
         is_saved != 0;
}
#else
static bool saves_avx512(void) { return saves_registers(SAVES_AVX512); }
#endif

static bool has_avx512(void) {
  const unsigned features =
      bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return has_avx2() && saves_avx512() &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & features) == features && (c & bit_AVX512VNNI) != 0;
}
#else
static bool has_avx2(void) { return false; }

static bool has_avxvnni(void) { return false; }

static bool has_avx512(void) { return false; }
#endif

static bool has_neon(void) {
#if defined(__ARM_FEATURE_DOTPROD)
  return true;
#elif defined(__aarch64__) && defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

/* Returns whether relaxed dot products of 8-bit operands are exact. Some engines treat the second
 * operand as signed, others as unsigned, and sums of two products may saturate or wrap in int16.
 * The choice of an engine never changes. */
#if defined(ET_CPU_LINKED_WASM_RELAXED_DOT)
__attribute__((target("simd128,relaxed-simd"))) static bool has_exact_wasm_dot(
    void) {
  static const volatile int8_t extremes[] = {-128, -1, 127};
  bool is_signed = true;
  bool is_unsigned = true;
  for (int i = 0; i < 9; i++) {
    const int8_t a = extremes[i / 3];
    const int8_t b = extremes[i % 3];
    const v128_t products = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
        wasm_i8x16_splat(a), wasm_i8x16_splat(b), wasm_i32x4_const_splat(0));
    const int32_t found = wasm_i32x4_extract_lane(products, 0);
    is_signed &= found == 4 * a * b;
    is_unsigned &= found == 4 * a * (uint8_t)b;
  }
  return is_signed || is_unsigned;
}
#else
static bool has_exact_wasm_dot(void) { return false; }
#endif

bool et_cpu_isa_available(et_cpu_isa isa) {
  switch (isa) {
    case ET_CPU_PLAIN:
      return PLAIN_LINKED;
    case ET_CPU_WASM_SIMD128:
      return WASM_SIMD128_LINKED;
    case ET_CPU_WASM_RELAXED_SIMD:
      return WASM_RELAXED_SIMD_LINKED;
    case ET_CPU_WASM_RELAXED_DOT:
      return WASM_RELAXED_DOT_LINKED && has_exact_wasm_dot();
    case ET_CPU_AVX2:
      return AVX2_LINKED && has_avx2();
    case ET_CPU_AVXVNNI:
      return AVXVNNI_LINKED && has_avxvnni();
    case ET_CPU_AVX512:
      return AVX512_LINKED && has_avx512();
    case ET_CPU_NEON:
      return NEON_LINKED && has_neon();
    default:
      return false;
  }
}

et_backend_option et_cpu_force_isa(et_cpu_isa isa) {
  et_backend_option option = {.key = "isa", .value = {.tag = ET_VALUE_STRING}};
  option.value.u.as_string.data = names[isa];
  option.value.u.as_string.size = strlen(names[isa]);
  return option;
}

static bool is_name(et_string text, const char *name) {
  return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

static et_status find_named(et_string text, et_error *error,
                            et_cpu_isa *out_isa) {
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (is_name(text, names[isa])) {
      *out_isa = (et_cpu_isa)isa;
      return et_cpu_isa_available(*out_isa)
                 ? ET_STATUS_OK
                 : et_fail(
                       error, ET_STATUS_NOT_SUPPORTED,
                       "isa '%s' is not linked or not supported by this CPU",
                       names[isa]);
    }
  }
  return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                 "option 'isa' must be plain, wasm_simd128, wasm_relaxed_simd, "
                 "wasm_relaxed_dot, avx2, avxvnni, avx512 or neon");
}

/* Returns the highest available code. Codes are ordered by preference. */
static et_status find_best(et_error *error, et_cpu_isa *out_isa) {
  for (int isa = ET_CPU_ISA_COUNT - 1; isa >= 0; isa--) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      *out_isa = (et_cpu_isa)isa;
      return ET_STATUS_OK;
    }
  }
  return et_fail(error, ET_STATUS_NOT_SUPPORTED,
                 "this CPU supports none of the linked instruction sets");
}

et_status et_cpu_isa_choose(const et_backend_context *context,
                            et_cpu_isa *out_isa) {
  for (size_t i = 0; i < context->option_count; i++) {
    const et_backend_option *option = &context->options[i];
    if (strcmp(option->key, "isa") != 0) {
      return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                     "option '%s': unknown, expected 'isa'; compiler options "
                     "belong in the config, under backends.cpu",
                     option->key);
    }
    if (option->value.tag != ET_VALUE_STRING) {
      return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                     "option 'isa' must be a string");
    }
    return find_named(option->value.u.as_string, context->error, out_isa);
  }
  return find_best(context->error, out_isa);
}

/* Returns whether any output of the op has elements. */
static bool has_results(const et_cpu_op *op) {
  const size_t end = (size_t)op->input_count + op->output_count;
  for (size_t i = op->input_count; i < end; i++) {
    if (op->tensors[i]->numel > 0) {
      return true;
    }
  }
  return false;
}

/* Skips ops whose outputs are all empty. An output of 0 bytes may have 2^31 rows and 2^31 columns,
 * and the op would loop over them. */
static void run_op(const et_cpu_op *op, const et_cpu_run *run) {
  if (has_results(op)) {
    op->type->run(op, run);
  }
}

static void run_observed(const et_cpu_op *op, uint32_t index,
                         const et_cpu_run *run, const et_observer *observer) {
  const et_event event = {ET_EVENT_STEP, index, op->type->schema->name, NULL,
                          0};
  observer->begin(observer->context, &event);
  run_op(op, run);
  observer->end(observer->context, &event, run->fault->status);
}

et_status et_cpu_run_ops(const et_cpu_op *ops, uint32_t count, uint8_t isa,
                         const et_execute_context *context) {
  et_cpu_fault fault = {ET_STATUS_OK, context->error};
  const et_cpu_run run = {isa, context->parallel, &fault};
  for (uint32_t i = 0; i < count && fault.status == ET_STATUS_OK; i++) {
    if (context->observer != NULL) {
      run_observed(&ops[i], i, &run, context->observer);
    } else {
      run_op(&ops[i], &run);
    }
  }
  return fault.status;
}
