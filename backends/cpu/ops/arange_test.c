#include "backends/cpu/schema/arange.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT 300

static void check_range(et_scalar_type dtype, int32_t start, int32_t by) {
  const int32_t sizes[1] = {COUNT};
  const int32_t *dims[1] = {&start};
  static const double margin[COUNT];
  double expected[COUNT];
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_arange);
  et_test_output(&test, dtype, 1, sizes);
  et_test_int(&test, by);
  test.op.dims = dims;
  test.op.dim_count = 1;
  for (int i = 0; i < COUNT; i++) {
    expected[i] = (double)start + (double)i * by;
  }
  et_test_run(&test, expected, margin);
  et_test_end(&test);
}

static void test_increasing_and_decreasing_ranges(void **state) {
  (void)state;
  check_range(ET_SCALAR_TYPE_INT64, 0, 1);
  check_range(ET_SCALAR_TYPE_INT64, INT32_MAX, INT32_MAX);
  check_range(ET_SCALAR_TYPE_INT64, 5, INT32_MIN);
  check_range(ET_SCALAR_TYPE_INT32, 7, 3);
  check_range(ET_SCALAR_TYPE_INT32, 7, -1);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const int32_t sizes[1] = {3};
  const int32_t start = 0;
  const int32_t *dims[1] = {&start};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_arange);
  et_test_output(&test, ET_SCALAR_TYPE_FLOAT32, 1, sizes);
  et_test_int(&test, 1);
  et_test_refused(&test, "arange: 0 dims, expected 1");
  test.op.dims = dims;
  test.op.dim_count = 1;
  et_test_refused(&test,
                  "arange: tensor 0 is float32, expected int32 or int64");
  test.tensors[0].dtype = ET_SCALAR_TYPE_INT32;
  test.tensors[0].rank = 2;
  et_test_refused(&test, "arange: tensor 0 has 2 dims, expected 1");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_increasing_and_decreasing_ranges),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
