#include "backends/cpu/schema/softmax.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

static void make(et_test_op *test, int32_t rows, int32_t columns,
                 bool logarithm) {
  const int32_t sizes[2] = {rows, columns};
  et_test_begin(test, &et_cpu_op_softmax);
  float *x = et_test_input(test, F32, 2, sizes);
  et_test_output(test, F32, 2, sizes);
  et_test_int(test, logarithm);
  for (int32_t i = 0; i < rows * columns; i++) {
    x[i] *= 30.0f;
  }
}

static double sum_of(const float *x, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += exp((double)x[i]);
  }
  return sum;
}

static void check_softmax(int32_t rows, int32_t columns, bool logarithm) {
  et_test_op test;
  make(&test, rows, columns, logarithm);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const float *x = test.tensors[0].data;
    const float *row = x + i / (size_t)columns * (size_t)columns;
    const double sum = sum_of(row, columns);
    expected[i] = logarithm ? (double)x[i] - log(sum) : exp((double)x[i]) / sum;
    expected[count + i] = 2e-7 + 4e-7 * fabs(expected[i]);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_rows_with_every_remainder(void **state) {
  (void)state;
  for (int32_t columns = 1; columns < 75; columns++) {
    check_softmax(1 + columns % 4, columns, columns % 3 == 0);
  }
}

static void test_divides_many_rows_among_threads(void **state) {
  (void)state;
  check_softmax(3000, 10, false);
  check_softmax(40, 1000, false);
  check_softmax(40, 1000, true);
  check_softmax(0, 4, false);
}

/* Masked elements are 0, regardless of the other values. */
static void test_masked_elements(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 1, 40, false);
  float *x = test.tensors[0].data;
  const float *y = et_test_result(&test)->data;
  for (int i = 0; i < 40; i++) {
    x[i] = i == 3 ? 1e30f : -INFINITY;
  }
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    const et_cpu_run run = {.isa = (uint8_t)isa};
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      test.op.type->run(&test.op, &run);
      assert_true(y[3] == 1.0f && y[2] == 0.0f && y[39] == 0.0f);
    }
  }
  et_test_end(&test);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 2, 5, false);
  test.attributes[0] = 2;
  et_test_refused(&test, "softmax: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 0;
  test.tensors[1].sizes[1] = 4;
  et_test_refused(&test, "softmax: tensor 1, dim 1 is 4, expected 5");
  test.tensors[1].sizes[1] = 5;
  test.tensors[0].rank = 0;
  et_test_refused(&test, "softmax: tensor 0 has 0 dims, expected 1 to 8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_with_every_remainder),
      cmocka_unit_test(test_divides_many_rows_among_threads),
      cmocka_unit_test(test_masked_elements),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
