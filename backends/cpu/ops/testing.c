#include "backends/cpu/ops/testing.h"
#include "backends/cpu/ops/op_schema.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "backends/cpu/microkernels/variants.h"

static uint32_t state = 1;

static uint32_t next(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

size_t et_test_below(size_t count) { return next() % count; }

float et_test_number(void) { return (float)next() / 8388608.0f - 1.0f; }

void et_test_begin(et_test_op *test, const et_backend_part *part) {
  memset(test, 0, sizeof(*test));
  test->op.type = part->content;
  test->op.tensors = test->list;
  test->op.attributes = test->attributes;
}

void et_test_end(et_test_op *test) {
  for (size_t i = 0; i < ET_TEST_TENSORS; i++) {
    free(test->tensors[i].data);
  }
}

static bool is_half(const et_cpu_tensor *tensor) {
  return tensor->dtype == ET_SCALAR_TYPE_FLOAT16 ||
         tensor->dtype == ET_SCALAR_TYPE_BFLOAT16;
}

static void fill(et_cpu_tensor *tensor) {
  if (tensor->dtype == ET_SCALAR_TYPE_FLOAT32) {
    float *values = tensor->data;
    for (size_t i = 0; i < tensor->numel; i++) {
      values[i] = et_test_number();
    }
    return;
  }
  uint8_t *bytes = tensor->data;
  for (size_t i = 0; i < tensor->bytes; i++) {
    bytes[i] = (uint8_t)next();
  }
  uint16_t *values16 = tensor->data;
  for (size_t i = 0; i < tensor->numel && is_half(tensor); i++) {
    values16[i] &= 0xbfff; /* in (-2, 2) */
  }
}

static void *add(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                 const int32_t *sizes) {
  et_cpu_op *op = &test->op;
  const size_t index =
      (size_t)op->input_count + op->output_count + op->workspace_count;
  assert_true(index < ET_TEST_TENSORS);
  et_cpu_tensor *tensor = &test->tensors[index];
  tensor->dtype = (uint8_t)dtype;
  tensor->rank = rank;
  tensor->numel = 1;
  for (uint8_t i = 0; i < rank; i++) {
    tensor->sizes[i] = sizes[i];
    tensor->numel *= (size_t)sizes[i];
  }
  tensor->bytes = tensor->numel * et_scalar_type_size((int32_t)dtype);
  tensor->data = malloc(tensor->bytes + (tensor->bytes == 0));
  assert_non_null(tensor->data);
  fill(tensor);
  test->list[index] = tensor;
  return tensor->data;
}

void *et_test_input(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                    const int32_t *sizes) {
  void *data = add(test, dtype, rank, sizes);
  test->op.input_count++;
  return data;
}

void *et_test_output(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                     const int32_t *sizes) {
  void *data = add(test, dtype, rank, sizes);
  test->op.output_count++;
  return data;
}

void *et_test_workspace(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                        const int32_t *sizes) {
  void *data = add(test, dtype, rank, sizes);
  test->op.workspace_count++;
  return data;
}

void et_test_int(et_test_op *test, int32_t value) {
  assert_true(test->op.attribute_count < ET_TEST_ATTRIBUTES);
  test->attributes[test->op.attribute_count++] = (uint32_t)value;
}

void et_test_float(et_test_op *test, float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  et_test_int(test, bits);
}

et_cpu_tensor *et_test_result(et_test_op *test) {
  return test->list[test->op.input_count];
}

et_status et_test_check(et_test_op *test, et_error *error) {
  return et_cpu_check_op(&test->op, error);
}

void et_test_refused(et_test_op *test, const char *part) {
  et_error error = {0};
  assert_int_not_equal(et_test_check(test, &error), ET_STATUS_OK);
  if (strstr(error.message, part) == NULL) {
    fail_msg("'%s' has no '%s'", error.message, part);
  }
}

uint8_t et_test_isa(void) {
  for (uint8_t isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      return isa;
    }
  }
  fail_msg("none of %d instruction sets is available", ET_CPU_ISA_COUNT);
  return 0;
}

static void run_backwards(void *context, size_t count,
                          void (*function)(void *data, size_t index),
                          void *data) {
  (void)context;
  while (count > 0) {
    function(data, --count);
  }
}

/* Not checked with AddressSanitizer, which inserts code between a microkernel and its return. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
/* XINUSE bits for the upper parts of vector registers 0 to 15, read with XGETBV. */
#define UPPER_PARTS (1u << 2 | 1u << 6)

static bool has_xinuse(void) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & 1u << 2) != 0;
}

/* Fails if an op leaves the upper parts of vector registers in use. SSE code that runs afterward
 * would be several times slower. Compilers omit VZEROUPPER before a return that follows a call. */
static void check_upper_parts(et_cpu_isa isa) {
  if (has_xinuse()) {
    uint32_t in_use = 0;
    uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(in_use), "=d"(high) : "c"(1));
    if ((in_use & UPPER_PARTS) != 0) {
      fail_msg("isa %d: upper parts of registers are left in use (%x)",
               (int)isa, (unsigned)in_use);
    }
  }
}
#else
static void check_upper_parts(et_cpu_isa isa) { (void)isa; }
#endif

static void run_on(et_test_op *test, et_cpu_isa isa, bool backwards) {
  const et_parallel parallel = {NULL, 3, run_backwards};
  const et_cpu_run run = {.isa = (uint8_t)isa,
                          .parallel = backwards ? &parallel : NULL};
  et_cpu_tensor *result = et_test_result(test);
  memset(result->data, 0x7f, result->bytes);
  test->op.type->run(&test->op, &run);
  check_upper_parts(isa);
}

double et_test_half(uint16_t bits, bool is_bfloat) {
  const int fraction = is_bfloat ? 7 : 10;
  const int exponents = 1 << (15 - fraction);
  const int exponent = (bits & 0x7fff) >> fraction;
  const int mantissa = bits & ((1 << fraction) - 1);
  const int bias = exponents / 2 - 1;
  double value = exponent == 0 ? ldexp(mantissa, 1 - bias - fraction)
                               : ldexp(mantissa + (1 << fraction),
                                       exponent - bias - fraction);
  if (exponent == exponents - 1) {
    value = mantissa == 0 ? (double)INFINITY : (double)NAN;
  }
  return bits >> 15 ? -value : value;
}

double et_test_at(const et_cpu_tensor *tensor, size_t index) {
  switch (tensor->dtype) {
    case ET_SCALAR_TYPE_FLOAT16:
    case ET_SCALAR_TYPE_BFLOAT16:
      return et_test_half(((const uint16_t *)tensor->data)[index],
                          tensor->dtype == ET_SCALAR_TYPE_BFLOAT16);
    case ET_SCALAR_TYPE_INT8:
      return ((const int8_t *)tensor->data)[index];
    case ET_SCALAR_TYPE_INT64:
      return (double)((const int64_t *)tensor->data)[index];
    case ET_SCALAR_TYPE_INT32:
      return ((const int32_t *)tensor->data)[index];
    case ET_SCALAR_TYPE_BOOL:
    case ET_SCALAR_TYPE_UINT8:
      return ((const uint8_t *)tensor->data)[index];
    default:
      return (double)((const float *)tensor->data)[index];
  }
}

static void compare(et_test_op *test, et_cpu_isa isa, const double *expected,
                    const double *margin) {
  const et_cpu_tensor *result = et_test_result(test);
  for (size_t i = 0; i < result->numel; i++) {
    const double found = et_test_at(result, i);
    const double off = found == expected[i] ? 0.0 : found - expected[i];
    if (!(off <= margin[i] && -off <= margin[i])) {
      fail_msg("isa %d, element %zu of %zu: %.9g, expected %.9g within %.3g",
               (int)isa, i, result->numel, found, expected[i], margin[i]);
    }
  }
}

bool et_test_rounds_twice(int isa) {
  return isa == ET_CPU_PLAIN || isa == ET_CPU_WASM_SIMD128;
}

void et_test_run(et_test_op *test, const double *expected,
                 const double *margin) {
  et_error error = {0};
  if (et_test_check(test, &error) != ET_STATUS_OK) {
    fail_msg("rejected: %s", error.message);
  }
  const et_cpu_tensor *result = et_test_result(test);
  void *first = malloc(result->bytes + 1);
  int before = ET_CPU_ISA_COUNT; /* none */
  assert_non_null(first);
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (!et_cpu_isa_available((et_cpu_isa)isa)) {
      continue;
    }
    run_on(test, (et_cpu_isa)isa, false);
    compare(test, (et_cpu_isa)isa, expected, margin);
    if (before < isa &&
        et_test_rounds_twice(before) == et_test_rounds_twice(isa)) {
      assert_memory_equal(first, result->data, result->bytes);
    }
    memcpy(first, result->data, result->bytes);
    before = isa;
    run_on(test, (et_cpu_isa)isa, true);
    assert_memory_equal(first, result->data, result->bytes);
  }
  free(first);
}

void et_test_same_bits(et_test_op *test, et_test_op *other) {
  et_test_same_bits_of(test, 0, other);
}

void et_test_same_bits_of(et_test_op *test, size_t output, et_test_op *other) {
  const et_cpu_tensor *result = test->op.tensors[test->op.input_count + output];
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      run_on(test, (et_cpu_isa)isa, true);
      run_on(other, (et_cpu_isa)isa, false);
      assert_memory_equal(result->data, et_test_result(other)->data,
                          result->bytes);
    }
  }
}

void et_test_copy(et_test_op *test, size_t index, const et_test_op *other) {
  const et_cpu_tensor *from = &other->tensors[index];
  et_cpu_tensor *to = &test->tensors[index];
  assert_int_equal(to->numel, from->numel);
  for (size_t i = 0; i < to->numel; i++) {
    ((float *)to->data)[i] = (float)et_test_at(from, i);
  }
}
