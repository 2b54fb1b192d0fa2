#include "backends/cpu/schema/cumsum.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I64 ET_SCALAR_TYPE_INT64
#define I32 ET_SCALAR_TYPE_INT32
#define BOOL ET_SCALAR_TYPE_BOOL

/* Sets element i to a random value and returns it. Float tensors are random already. */
static double filled(et_scalar_type dtype, void *data, size_t i) {
  const int small = (int)et_test_below(9) - 4;
  switch (dtype) {
    case I64:
      return (double)(((int64_t *)data)[i] = small * (INT64_C(1) << 40));
    case I32:
      return (double)(((int32_t *)data)[i] = small);
    case BOOL:
      return ((uint8_t *)data)[i] = small > 0 ? 2 : 0, small > 0;
    default:
      return (double)((float *)data)[i];
  }
}

static void check_cumsum(et_scalar_type dtype, int32_t outer, int32_t count,
                         int32_t columns) {
  const int32_t sizes[3] = {outer, count, columns};
  const size_t width = (size_t)columns;
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_cumsum);
  void *x = et_test_input(&test, dtype, 3, sizes);
  et_test_output(&test, dtype == F32 ? F32 : I64, 3, sizes);
  const size_t numel = et_test_result(&test)->numel;
  double *expected = calloc(2 * numel + 1, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < numel; i++) {
    const bool is_first = i / width % (size_t)count == 0;
    expected[i] = filled(dtype, x, i) + (is_first ? 0 : expected[i - width]);
    expected[numel + i] = dtype == F32 ? 1e-7 * (1 + count) : 0;
  }
  et_test_run(&test, expected, expected + numel);
  free(expected);
  et_test_end(&test);
}

static void test_every_dtype(void **state) {
  (void)state;
  const et_scalar_type dtypes[] = {F32, I64, I32, BOOL};
  for (size_t i = 0; i < 4; i++) {
    check_cumsum(dtypes[i], 1, 100, 1);
    check_cumsum(dtypes[i], 3, 17, 150);
    check_cumsum(dtypes[i], 2, 0, 3);
    for (int k = 0; k < 20; k++) {
      check_cumsum(dtypes[i], (int32_t)et_test_below(5),
                   1 + (int32_t)et_test_below(40), (int32_t)et_test_below(130));
    }
  }
}

/* 2^24 + 1 is not a float32 value, but 2^24 + 2 is. The accumulator needs more precision. */
static void test_long_sums_of_floats(void **state) {
  (void)state;
  const int32_t sizes[3] = {1, 3, 1};
  const double expected[3] = {16777216, 16777216, 16777218};
  const double margin[3] = {0};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_cumsum);
  float *x = et_test_input(&test, F32, 3, sizes);
  et_test_output(&test, F32, 3, sizes);
  x[0] = 16777216;
  x[1] = x[2] = 1;
  et_test_run(&test, expected, margin);
  et_test_end(&test);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const int32_t sizes[3] = {2, 3, 4};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_cumsum);
  et_test_input(&test, I32, 3, sizes);
  et_test_output(&test, I32, 3, sizes);
  et_test_refused(&test, "cumsum: tensor 1 is int32, expected int64");
  test.tensors[0].dtype = F32;
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT64;
  et_test_refused(&test, "cumsum: tensor 1 is int64, expected float32");
  test.tensors[0].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&test, "cumsum: tensor 0 has unsupported dtype float16");
  test.tensors[0].dtype = test.tensors[1].dtype = F32;
  test.tensors[1].sizes[1] = 4;
  et_test_refused(&test, "cumsum: tensor 1, dim 1 is 4, expected 3");
  test.tensors[0].rank = 2;
  et_test_refused(&test, "cumsum: tensor 0 has 2 dims, expected 3");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_dtype),
      cmocka_unit_test(test_long_sums_of_floats),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
