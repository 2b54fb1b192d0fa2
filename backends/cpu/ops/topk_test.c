#include "backends/cpu/schema/topk.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I64 ET_SCALAR_TYPE_INT64

static void make(et_test_op *test, int32_t rows, int32_t size, int32_t count,
                 bool smallest, bool indices) {
  const int32_t sizes[2] = {rows, size};
  const int32_t out[2] = {rows, count};
  et_test_begin(test, &et_cpu_op_topk);
  et_test_input(test, F32, 2, sizes);
  et_test_output(test, indices ? I64 : F32, 2, out);
  et_test_int(test, smallest);
  et_test_int(test, indices);
}

/* Returns the number of elements ordered before element i: larger ones, and equal ones with smaller
 * indices. */
static size_t rank_of(const float *row, size_t size, size_t i, float sign) {
  size_t rank = 0;
  for (size_t k = 0; k < size; k++) {
    rank += sign * row[k] > sign * row[i] || (row[k] == row[i] && k < i);
  }
  return rank;
}

static void check_topk(int32_t rows, int32_t size, int32_t count, bool smallest,
                       bool indices) {
  et_test_op test;
  make(&test, rows, size, count, smallest, indices);
  const size_t numel = test.tensors[1].numel;
  double *expected = calloc(2 * numel + 1, sizeof(double));
  float *x = test.tensors[0].data;
  assert_non_null(expected);
  for (size_t i = 0; i < test.tensors[0].numel; i++) {
    x[i] = (float)et_test_below(20);
  }
  for (size_t i = 0; i < test.tensors[0].numel; i++) {
    const size_t row = i / (size_t)size;
    const size_t at = i % (size_t)size;
    const size_t rank = rank_of(x + row * (size_t)size, (size_t)size, at,
                                smallest ? -1.0f : 1.0f);
    if (rank < (size_t)count) {
      expected[row * (size_t)count + rank] =
          indices ? (double)at : (double)x[i];
    }
  }
  et_test_run(&test, expected, expected + numel);
  free(expected);
  et_test_end(&test);
}

static void test_largest_and_smallest(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    check_topk(3, 40, 5, i / 2, i % 2);
    check_topk(1, 64, 64, i / 2, i % 2);
    check_topk(2, 7, 1, i / 2, i % 2);
    check_topk(2, 7, 0, i / 2, i % 2);
    check_topk(0, 7, 2, i / 2, i % 2);
  }
}

/* NaN is the largest value, at any position. */
static void test_nan(void **state) {
  (void)state;
  const double largest[2] = {2, 1};
  const double smallest[2] = {0, 1};
  const double margin[2] = {0};
  for (int i = 0; i < 2; i++) {
    et_test_op test;
    make(&test, 1, 3, 2, i == 1, true);
    float *x = test.tensors[0].data;
    x[0] = -INFINITY;
    x[1] = 5;
    x[2] = NAN;
    et_test_run(&test, i == 1 ? smallest : largest, margin);
    et_test_end(&test);
  }
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 2, 7, 3, false, false);
  test.tensors[0].sizes[1] = 2;
  et_test_refused(&test, "topk: k is 3, expected at most 2");
  test.tensors[0].sizes[1] = 100;
  test.tensors[1].sizes[1] = 65;
  et_test_refused(&test, "topk: k is 65, expected at most 64");
  test.attributes[1] = 1;
  et_test_refused(&test, "topk: tensor 1 is float32, expected int64");
  test.attributes[0] = 2;
  et_test_refused(&test, "topk: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 0;
  test.attributes[1] = UINT32_MAX;
  et_test_refused(&test, "topk: attribute 1 is -1, expected 0 to 1");
  test.tensors[0].sizes[1] = 7;
  test.tensors[1].sizes[1] = 3;
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_largest_and_smallest),
      cmocka_unit_test(test_nan),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
