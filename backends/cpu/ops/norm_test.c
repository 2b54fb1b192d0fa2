#include "backends/cpu/schema/norm.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t rows, columns;
  bool centered;
  int32_t given; /* 0: no parameters, 1: scale, 2: scale and shift */
} shape;

static void make(et_test_op *test, const shape *s) {
  const int32_t sizes[3] = {1, s->rows, s->columns};
  et_test_begin(test, &et_cpu_op_norm);
  et_test_input(test, F32, 3, sizes);
  for (int32_t i = 0; i < s->given; i++) {
    et_test_input(test, F32, 1, &s->columns);
  }
  et_test_output(test, F32, 3, sizes);
  et_test_int(test, s->centered);
  et_test_float(test, 1e-5f);
}

static double mean_of(const float *x, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += (double)x[i];
  }
  return sum / count;
}

static double deviation(const float *x, int32_t count, double mean) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += ((double)x[i] - mean) * ((double)x[i] - mean);
  }
  return sqrt(sum / count + 1e-5);
}

static void check_norm(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  const float *scale = s->given > 0 ? test.tensors[1].data : NULL;
  const float *shift = s->given > 1 ? test.tensors[2].data : NULL;
  for (size_t i = 0; i < count; i++) {
    const size_t column = i % (size_t)s->columns;
    const float *x = (const float *)test.tensors[0].data + (i - column);
    const double mean = s->centered ? mean_of(x, s->columns) : 0;
    const double y =
        ((double)x[column] - mean) / deviation(x, s->columns, mean);
    expected[i] = y * (scale != NULL ? (double)scale[column] : 1) +
                  (shift != NULL ? (double)shift[column] : 0);
    expected[count + i] = 1e-6 * (1 + fabs(y));
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_norms_of_rows_with_every_remainder(void **state) {
  (void)state;
  for (int32_t columns = 2; columns < 75; columns++) {
    const shape s = {1 + columns % 3, columns, columns % 2 == 0,
                     columns / 2 % 3};
    check_norm(&s);
  }
}

static void test_divides_many_rows_among_threads(void **state) {
  (void)state;
  const shape shapes[] = {
      {100, 384, true, 2}, {5000, 7, false, 0}, {0, 8, true, 2}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_norm(&shapes[i]);
  }
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {3, 20, true, 2};
  et_test_op test;
  make(&test, &s);
  test.attributes[0] = 2;
  et_test_refused(&test, "norm: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 1;
  test.tensors[1].sizes[0] = 19;
  et_test_refused(&test, "norm: tensor 1, dim 0 is 19, expected 20");
  test.tensors[1].sizes[0] = 20;
  test.tensors[2].sizes[0] = 21;
  et_test_refused(&test, "norm: tensor 2, dim 0 is 21, expected 20");
  test.tensors[2].sizes[0] = 20;
  test.tensors[3].sizes[1] = 2;
  et_test_refused(&test, "norm: tensor 3, dim 1 is 2, expected 3");
  test.tensors[3].sizes[1] = 3;
  test.tensors[0].rank = 0;
  et_test_refused(&test, "norm: tensor 0 has 0 dims, expected 1 to 8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_norms_of_rows_with_every_remainder),
      cmocka_unit_test(test_divides_many_rows_among_threads),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
