#include "backends/cpu/schema/reduce.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/records.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I64 ET_SCALAR_TYPE_INT64

static double start_of(int reduction) {
  switch (reduction) {
    case ET_CPU_REDUCTION_MAX:
      return -INFINITY;
    case ET_CPU_REDUCTION_MIN:
      return INFINITY;
    default:
      return reduction == ET_CPU_REDUCTION_PRODUCT;
  }
}

static double joined(int reduction, double all, double x) {
  switch (reduction) {
    case ET_CPU_REDUCTION_MAX:
      return x > all ? x : all;
    case ET_CPU_REDUCTION_MIN:
      return x < all ? x : all;
    case ET_CPU_REDUCTION_PRODUCT:
      return all * x;
    default:
      return all + x;
  }
}

/* Returns the reduction of a column of `count` elements that starts at x. */
static double reduced(int reduction, const float *x, int32_t count,
                      size_t stride) {
  double all = start_of(reduction);
  int32_t best = 0;
  for (int32_t i = 0; i < count; i++) {
    const float next = x[(size_t)i * stride];
    const float so_far = x[(size_t)best * stride];
    all = joined(reduction, all, (double)next);
    const bool more = reduction == ET_CPU_REDUCTION_ARGMAX;
    best = (more ? next > so_far : next < so_far) ? i : best;
  }
  if (reduction >= ET_CPU_REDUCTION_ARGMAX) {
    return best;
  }
  return reduction == ET_CPU_REDUCTION_MEAN ? all / count : all;
}

static void check_reduce(int reduction, int32_t outer, int32_t count,
                         int32_t columns) {
  const int32_t sizes[3] = {outer, count, columns};
  const int32_t out[2] = {outer, columns};
  const bool indices = reduction >= ET_CPU_REDUCTION_ARGMAX;
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_reduce);
  float *x = et_test_input(&test, F32, 3, sizes);
  et_test_output(&test, indices ? I64 : F32, 2, out);
  et_test_int(&test, reduction);
  const size_t numel = et_test_result(&test)->numel;
  double *expected = malloc((2 * numel + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < test.tensors[0].numel; i++) {
    x[i] = indices ? (float)et_test_below(9) : x[i];
  }
  for (size_t i = 0; i < numel; i++) {
    const size_t width = (size_t)columns;
    expected[i] =
        reduced(reduction, x + i / width * (size_t)count * width + i % width,
                count, width);
    const bool exact = indices || reduction == ET_CPU_REDUCTION_MAX ||
                       reduction == ET_CPU_REDUCTION_MIN;
    expected[numel + i] = exact ? 0 : 1e-7 * (1 + count);
  }
  et_test_run(&test, expected, expected + numel);
  free(expected);
  et_test_end(&test);
}

static void test_reduces_rows_and_columns(void **state) {
  (void)state;
  for (int i = 0; i <= ET_CPU_REDUCTION_ARGMIN; i++) {
    check_reduce(i, 3, 100, 1);
    check_reduce(i, 40, 1000, 1);
    check_reduce(i, 3, 17, 300);
    check_reduce(i, 1, 9, 16);
    for (int k = 0; k < 30; k++) {
      check_reduce(i, (int32_t)et_test_below(5), 1 + (int32_t)et_test_below(70),
                   1 + (int32_t)et_test_below(40));
    }
  }
}

static void test_reduces_empty_dimensions(void **state) {
  (void)state;
  check_reduce(ET_CPU_REDUCTION_SUM, 2, 0, 3);
  check_reduce(ET_CPU_REDUCTION_PRODUCT, 2, 0, 1);
}

static void test_nan_is_the_extremum(void **state) {
  (void)state;
  for (int32_t columns = 1; columns < 6; columns += 4) {
    for (int reduction = 0; reduction <= ET_CPU_REDUCTION_ARGMIN; reduction++) {
      const int32_t sizes[3] = {1, 50, columns};
      const int32_t out[2] = {1, columns};
      const bool indices = reduction >= ET_CPU_REDUCTION_ARGMAX;
      et_test_op test;
      et_test_begin(&test, &et_cpu_op_reduce);
      float *x = et_test_input(&test, F32, 3, sizes);
      void *y = et_test_output(&test, indices ? I64 : F32, 2, out);
      x[31 * columns] = x[47 * columns] = NAN;
      et_test_int(&test, reduction);
      const et_cpu_run run = {.isa = et_test_isa()};
      test.op.type->run(&test.op, &run);
      assert_true(indices ? *(int64_t *)y == 31 : isnan(*(float *)y));
      et_test_end(&test);
    }
  }
}

static void test_rejects_invalid_modes_and_shapes(void **state) {
  (void)state;
  const int32_t sizes[3] = {2, 3, 4};
  const int32_t out[2] = {2, 4};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_reduce);
  et_test_input(&test, F32, 3, sizes);
  et_test_output(&test, F32, 2, out);
  et_test_int(&test, 7);
  et_test_refused(&test, "reduce: attribute 0 is 7, expected 0 to 6");
  test.attributes[0] = ET_CPU_REDUCTION_ARGMAX;
  et_test_refused(&test, "reduce: tensor 1 is float32, expected int64");
  test.tensors[0].sizes[1] = 0;
  et_test_refused(&test, "reduce: argmax and argmin require at least one");
  test.attributes[0] = ET_CPU_REDUCTION_SUM;
  test.tensors[1].sizes[1] = 5;
  et_test_refused(&test, "reduce: tensor 1, dim 1 is 5, expected 4");
  test.tensors[0].rank = 2;
  et_test_refused(&test, "reduce: tensor 0 has 2 dims, expected 3");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reduces_rows_and_columns),
      cmocka_unit_test(test_reduces_empty_dimensions),
      cmocka_unit_test(test_nan_is_the_extremum),
      cmocka_unit_test(test_rejects_invalid_modes_and_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
