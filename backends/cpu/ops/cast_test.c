#include "backends/cpu/schema/cast.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F16 ET_SCALAR_TYPE_FLOAT16
#define BF16 ET_SCALAR_TYPE_BFLOAT16
#define F32 ET_SCALAR_TYPE_FLOAT32

static void make(et_test_op *test, et_scalar_type from, et_scalar_type to,
                 int32_t count) {
  et_test_begin(test, &et_cpu_op_cast);
  et_test_input(test, from, 1, &count);
  et_test_output(test, to, 1, &count);
}

static void check(et_test_op *test, const double *expected) {
  double *margin = calloc(et_test_result(test)->numel + 1, sizeof(double));
  assert_non_null(margin);
  et_test_run(test, expected, margin);
  free(margin);
  et_test_end(test);
}

/* Covers all bit patterns except NaN, which test_nan_stays_nan covers. */
static void test_every_float16_becomes_the_equal_float32(void **state) {
  (void)state;
  double *expected = malloc(65536 * sizeof(double));
  assert_non_null(expected);
  for (int is_bfloat = 0; is_bfloat < 2; is_bfloat++) {
    et_test_op test;
    make(&test, is_bfloat ? BF16 : F16, F32, 65536 - 1);
    uint16_t *x = test.tensors[0].data;
    for (size_t i = 0; i < 65535; i++) {
      const double value = et_test_half((uint16_t)i, is_bfloat);
      x[i] = isnan(value) ? 0 : (uint16_t)i;
      expected[i] = isnan(value) ? 0 : value;
    }
    check(&test, expected);
  }
  free(expected);
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

/* Returns the nearest float16 or bfloat16, ties to even. It is found by bisection of the bits. */
static double nearest(float x, bool is_bfloat) {
  uint16_t low = 0;
  uint16_t high = is_bfloat ? 0x7f80 : 0x7c00;
  const double size = fabs((double)x);
  const double beyond = is_bfloat ? ldexp(511, 119) : 65520.0;
  if (size >= beyond) {
    return copysign((double)INFINITY, (double)x);
  }
  while (high - low > 1) {
    const uint16_t middle = (uint16_t)((low + high) / 2);
    *(et_test_half(middle, is_bfloat) <= size ? &low : &high) = middle;
  }
  const double below = size - et_test_half(low, is_bfloat);
  const double above = et_test_half(high, is_bfloat) - size;
  const bool is_low = below < above || (below == above && low % 2 == 0);
  return copysign(et_test_half(is_low ? low : high, is_bfloat), (double)x);
}

static const uint32_t edges[] = {
    0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x477fe000u,
    0x477fefffu, 0x477ff000u, 0x47800000u, 0x38800000u, 0x387fffffu,
    0x387fe000u, 0x33000000u, 0x33000001u, 0x33800000u, 0x32ffffffu,
    0x3f801000u, 0x3f803000u, 0x3f801001u, 0x3f808000u, 0x3f818000u,
    0x7f7fffffu, 0x7f7f7fffu, 0x7f7f8000u, 0x00000001u, 0x00800000u};

static void test_float32_becomes_the_nearest_float16(void **state) {
  (void)state;
  enum { EDGES = sizeof(edges) / sizeof(edges[0]), COUNT = 5003 };
  static double expected[COUNT];
  for (int is_bfloat = 0; is_bfloat < 2; is_bfloat++) {
    et_test_op test;
    make(&test, F32, is_bfloat ? BF16 : F16, COUNT);
    float *x = test.tensors[0].data;
    for (size_t i = 0; i < COUNT; i++) {
      x[i] = i < EDGES ? float_of(edges[i])
                       : ldexpf(et_test_number(), (int)et_test_below(45) - 27);
      expected[i] = nearest(x[i], is_bfloat);
    }
    check(&test, expected);
  }
}

static void convert_on(et_test_op *test, et_cpu_isa isa) {
  const et_cpu_run run = {.isa = (uint8_t)isa};
  test->op.type->run(&test->op, &run);
}

static void test_nan_stays_nan(void **state) {
  (void)state;
  const et_scalar_type float16_dtypes[] = {F16, BF16};
  for (int i = 0; i < 2 * ET_CPU_ISA_COUNT; i++) {
    if (!et_cpu_isa_available((et_cpu_isa)(i / 2))) {
      continue;
    }
    et_test_op wide;
    et_test_op narrow;
    make(&narrow, F32, float16_dtypes[i % 2], 1);
    *(float *)narrow.tensors[0].data = float_of(0xff800001u);
    convert_on(&narrow, (et_cpu_isa)(i / 2));
    make(&wide, float16_dtypes[i % 2], F32, 1);
    memcpy(wide.tensors[0].data, narrow.tensors[1].data, 2);
    convert_on(&wide, (et_cpu_isa)(i / 2));
    assert_true(isnan(*(const float *)wide.tensors[1].data));
    et_test_end(&narrow);
    et_test_end(&wide);
  }
}

static void test_casts_to_integers_truncate(void **state) {
  (void)state;
  const float x[] = {2.9f, -2.9f,    0.0f,         -0.0f,         1e30f, -1e30f,
                     NAN,  INFINITY, 4294967808.f, -2147483648.f, 7.0f};
  const double whole[] = {
      2, -2, 0, 0, 0x1p63, -0x1p63, 0, 0x1p63, 4294967808., -2147483648., 7};
  const double lower[] = {2, -2, 0, 0, -1, 0, 0, -1, 512, -2147483648., 7};
  for (int i = 0; i < 2; i++) {
    et_test_op test;
    make(&test, F32, i == 0 ? ET_SCALAR_TYPE_INT64 : ET_SCALAR_TYPE_INT32, 11);
    memcpy(test.tensors[0].data, x, sizeof(x));
    check(&test, i == 0 ? whole : lower);
  }
}

static void test_casts_several_chunks_and_empty_tensors(void **state) {
  (void)state;
  static double expected[40001];
  const int32_t counts[] = {0, 1, 17, 40001};
  for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
    et_test_op test;
    make(&test, F32, ET_SCALAR_TYPE_INT64, counts[c]);
    float *x = test.tensors[0].data;
    for (int32_t i = 0; i < counts[c]; i++) {
      x[i] = (float)i + 0.5f;
      expected[i] = i;
    }
    check(&test, expected);
  }
}

static void test_rejects_casts_that_are_not_supported(void **state) {
  (void)state;
  et_test_op test;
  make(&test, F16, F32, 6);
  test.tensors[1].dtype = BF16;
  et_test_refused(&test, "cast: float16 to bfloat16 is not supported");
  test.tensors[1].dtype = F32;
  test.tensors[0].dtype = ET_SCALAR_TYPE_INT64;
  et_test_refused(&test, "cast: tensor 0 has unsupported dtype int64");
  test.tensors[0].dtype = F16;
  test.tensors[0].numel = 5;
  et_test_refused(&test, "cast: tensor 0 has 5 elements, expected 6");
  test.op.attribute_count = 1;
  et_test_refused(&test, "cast: 1 attributes, expected 0");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_float16_becomes_the_equal_float32),
      cmocka_unit_test(test_float32_becomes_the_nearest_float16),
      cmocka_unit_test(test_nan_stays_nan),
      cmocka_unit_test(test_casts_to_integers_truncate),
      cmocka_unit_test(test_casts_several_chunks_and_empty_tensors),
      cmocka_unit_test(test_rejects_casts_that_are_not_supported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
