#include "backends/cpu/schema/adaptive_pool.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I64 ET_SCALAR_TYPE_INT64

enum { AVG, MAX, ARGMAX };
enum { RANK = 5 };

static void make(et_test_op *test, const int32_t *x, const int32_t *after,
                 int32_t pooling) {
  const int32_t y[RANK] = {x[0], after[0], after[1], after[2], x[4]};
  et_test_begin(test, &et_cpu_op_adaptive_pool);
  et_test_input(test, F32, RANK, x);
  et_test_output(test, pooling == ARGMAX ? I64 : F32, RANK, y);
  et_test_int(test, pooling);
}

/* Returns whether element `at` of an axis of `size` is in window `index` of `count`. */
static bool is_in(size_t at, size_t index, size_t size, size_t count) {
  return at >= index * size / count &&
         (double)at < ceil((double)((index + 1) * size) / (double)count);
}

/* Returns element `o` of y. */
static double element(const et_test_op *test, int32_t pooling,
                      const size_t *o) {
  const int32_t *x = test->tensors[0].sizes;
  const int32_t *y = test->tensors[1].sizes;
  const size_t pixels = (size_t)x[1] * (size_t)x[2] * (size_t)x[3];
  const float *volume =
      (const float *)test->tensors[0].data + o[0] * pixels * (size_t)x[4];
  double sum = 0;
  double count = 0;
  double best = -INFINITY;
  size_t place = 0;
  for (size_t p = 0; p < pixels; p++) {
    const size_t at[3] = {p / (size_t)x[3] / (size_t)x[2],
                          p / (size_t)x[3] % (size_t)x[2], p % (size_t)x[3]};
    bool in = true;
    for (size_t d = 0; d < 3; d++) {
      in = in && is_in(at[d], o[d + 1], (size_t)x[d + 1], (size_t)y[d + 1]);
    }
    const double value = (double)volume[p * (size_t)x[4] + o[4]];
    if (in && value > best) {
      best = value;
      place = p;
    }
    sum += in ? value : 0;
    count += in;
  }
  return pooling == AVG ? sum / count : pooling == MAX ? best : (double)place;
}

static void check_pool(const int32_t *x, const int32_t *after,
                       int32_t pooling) {
  et_test_op test;
  make(&test, x, after, pooling);
  const int32_t *y = test.tensors[1].sizes;
  const size_t numel = test.tensors[1].numel;
  double *expected = calloc(2 * numel + 1, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < numel; i++) {
    size_t o[RANK];
    size_t rest = i;
    for (size_t d = RANK; d-- > 0; rest /= (size_t)y[d]) {
      o[d] = rest % (size_t)y[d];
    }
    expected[i] = element(&test, pooling, o);
    expected[numel + i] = pooling == AVG ? 1e-6 : 0;
  }
  et_test_run(&test, expected, expected + numel);
  free(expected);
  et_test_end(&test);
}

static void test_windows_of_different_sizes(void **state) {
  (void)state;
  const int32_t shapes[][8] = {
      {2, 1, 7, 5, 3, 1, 3, 2},  {1, 5, 4, 7, 19, 3, 4, 3},
      {1, 1, 1, 10, 4, 1, 1, 4}, {2, 2, 3, 1, 1, 5, 7, 2},
      {0, 1, 7, 5, 3, 1, 3, 2},  {1, 1, 7, 5, 3, 1, 0, 2},
      {1, 3, 3, 3, 8, 1, 1, 1},
  };
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    for (int32_t pooling = AVG; pooling <= ARGMAX; pooling++) {
      check_pool(shapes[i], shapes[i] + RANK, pooling);
    }
  }
}

/* The maximum of a window with NaNs is the last NaN. */
static void test_maximum_of_a_window_with_nan(void **state) {
  (void)state;
  const int32_t x[RANK] = {1, 1, 1, 5, 1};
  const int32_t after[3] = {1, 1, 2};
  const double margin[2] = {0};
  et_test_op test;
  make(&test, x, after, ARGMAX);
  float *numbers = test.tensors[0].data;
  numbers[1] = NAN;
  numbers[2] = NAN;
  et_test_run(&test, (double[]){2, 2}, margin);
  numbers[2] = 0;
  numbers[3] = 1;
  numbers[4] = 2;
  et_test_run(&test, (double[]){1, 4}, margin);
  et_test_end(&test);
}

/* The product of the sizes exceeds 2^32. */
static void test_max_pooling_along_long_axes(void **state) {
  (void)state;
  enum { IN = 65536, OUT = 65537 };
  const int32_t x[RANK] = {1, 1, 1, IN, 1};
  const int32_t y[3] = {1, 1, OUT};
  et_test_op test;
  make(&test, x, y, MAX);
  const float *from = test.tensors[0].data;
  double *expected = calloc(2 * OUT, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < OUT; i++) {
    /* Windows 1 to OUT - 2 have two elements. */
    const size_t first = i == 0 ? 0 : i - 1;
    const size_t last = i < IN ? i : IN - 1;
    expected[i] = (double)fmaxf(from[first], from[last]);
  }
  et_test_run(&test, expected, expected + OUT);
  free(expected);
  et_test_end(&test);
}

static void test_rejects_invalid_shapes_and_modes(void **state) {
  (void)state;
  const int32_t x[RANK] = {2, 1, 7, 5, 3};
  const int32_t after[3] = {1, 3, 2};
  et_test_op test;
  make(&test, x, after, AVG);
  test.attributes[0] = 3;
  et_test_refused(&test, "adaptive_pool: attribute 0 is 3, expected 0 to 2");
  test.attributes[0] = ARGMAX;
  et_test_refused(&test, "adaptive_pool: tensor 1 is float32, expected int64");
  test.attributes[0] = MAX;
  test.tensors[1].sizes[4] = 2;
  et_test_refused(&test, "adaptive_pool: tensor 1, dim 4 is 2, expected 3");
  test.tensors[1].sizes[4] = 3;
  test.tensors[0].numel = 0;
  et_test_refused(&test, "adaptive_pool: input volume is empty");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows_of_different_sizes),
      cmocka_unit_test(test_maximum_of_a_window_with_nan),
      cmocka_unit_test(test_max_pooling_along_long_axes),
      cmocka_unit_test(test_rejects_invalid_shapes_and_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
