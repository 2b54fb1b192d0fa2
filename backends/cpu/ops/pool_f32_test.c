#include "backends/cpu/schema/pool_f32.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t batch, channels;
  et_test_axis y, x;
  bool maximum, count_padding;
  int32_t divisor;
  bool whole; /* 0 x 0 kernel */
} shape;

static void make(et_test_op *test, const shape *s) {
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->channels};
  et_test_begin(test, &et_cpu_op_pool_f32);
  et_test_input(test, F32, 4, in);
  et_test_output(test, F32, 4, out);
  et_test_int(test, s->maximum);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, s->count_padding);
  et_test_int(test, s->divisor);
  if (s->whole) {
    test->attributes[1] = test->attributes[2] = 0;
  }
}

static double divided(const shape *s, double sum, int32_t inside) {
  if (s->divisor != 0) {
    return sum / s->divisor;
  }
  return sum / (s->count_padding ? s->y.kernel * s->x.kernel : inside);
}

static double element(const et_test_op *test, const shape *s, int32_t image,
                      int32_t y, int32_t x, int32_t channel) {
  const float *in = test->tensors[0].data;
  double sum = 0;
  double max = -INFINITY;
  int32_t inside = 0;
  for (int32_t tap = 0; tap < s->y.kernel * s->x.kernel; tap++) {
    const int32_t iy = et_test_tap(&s->y, y, tap / s->x.kernel);
    const int32_t ix = et_test_tap(&s->x, x, tap % s->x.kernel);
    if (iy >= 0 && ix >= 0) {
      const int32_t pixel = (image * s->y.in + iy) * s->x.in + ix;
      const double value = (double)in[pixel * s->channels + channel];
      sum += value;
      max = fmax(max, value);
      inside++;
    }
  }
  return s->maximum ? max : divided(s, sum, inside);
}

static void check_pool(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const int32_t pixel = (int32_t)i / s->channels;
    expected[i] = element(&test, s, pixel / s->x.out / s->y.out,
                          pixel / s->x.out % s->y.out, pixel % s->x.out,
                          (int32_t)i % s->channels);
    expected[count + i] = s->maximum ? 0 : 1e-6;
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

/* Padding is at most half the kernel, so that each window has a pixel. */
static et_test_axis random_axis(void) {
  const int32_t kernel = 1 + (int32_t)et_test_below(4);
  et_test_axis axis =
      et_test_axis_random(kernel, 1 + (int32_t)et_test_below(3), 1);
  axis.in = kernel + (int32_t)et_test_below(9);
  axis.before = (int32_t)et_test_below((size_t)kernel / 2 + 1);
  axis.after = (int32_t)et_test_below((size_t)kernel / 2 + 1);
  axis.out = et_test_axis_out(&axis);
  return axis;
}

static void test_random_windows(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    shape s = {1 + (int32_t)et_test_below(2),
               1 + (int32_t)et_test_below(40),
               random_axis(),
               random_axis(),
               i % 2 == 0,
               i / 2 % 2 == 0,
               0,
               false};
    s.divisor = i % 5 == 1 ? 7 : 0;
    check_pool(&s);
  }
}

static void test_dilated_max_pooling(void **state) {
  (void)state;
  const et_test_axis axis = {9, 5, 3, 1, 0, 0, 2};
  const shape s = {1, 17, axis, axis, true, false, 0, false};
  check_pool(&s);
}

static void test_global_average_pooling(void **state) {
  (void)state;
  const et_test_axis axis = {7, 1, 7, 1, 0, 0, 1};
  shape s = {2, 330, axis, axis, false, true, 0, false};
  check_pool(&s);
  s.whole = true;
  s.count_padding = false;
  check_pool(&s);
  s.maximum = true;
  check_pool(&s);
}

/* Visiting each row of the image would exceed the time limit of the test. */
static void test_global_max_pooling_of_images_without_columns(void **state) {
  (void)state;
  const et_test_axis tall = {INT32_MAX, 1, 1, 1, 0, 0, 1};
  const et_test_axis empty = {0, 1, 1, 1, 0, 0, 1};
  const shape s = {1, 2048, tall, empty, true, false, 0, true};
  check_pool(&s);
}

/* Visiting each tap of each window would exceed the time limit of the test. */
static void test_windows_with_many_taps_in_the_padding(void **state) {
  (void)state;
  const int32_t max_kernel = 1 << 15;
  const int32_t max_padding = 1 << 20;
  const et_test_axis y = {1, 1, 1, 1, 0, 0, 1};
  et_test_axis x = {3, 0, max_kernel, 1, max_padding, max_padding, 1};
  x.out = et_test_axis_out(&x);
  const shape s = {1, 1, y, x, false, true, 0, false};
  et_test_op test;
  make(&test, &s);
  const et_cpu_run run = {.isa = et_test_isa()};
  test.op.type->run(&test.op, &run);
  const float *out = et_test_result(&test)->data;
  const int32_t first = max_padding - max_kernel + 1; /* reads pixel 0 */
  assert_true(out[first - 1] == 0.0f);
  assert_float_equal(out[first] * (float)max_kernel,
                     ((const float *)test.tensors[0].data)[0], 1e-6);
  assert_true(out[x.out - 1] == 0.0f);
  et_test_end(&test);
}

static void test_max_pooling_propagates_nan(void **state) {
  (void)state;
  const et_test_axis axis = {2, 1, 2, 1, 0, 0, 1};
  const shape s = {1, 3, axis, axis, true, false, 0, false};
  et_test_op test;
  make(&test, &s);
  ((float *)test.tensors[0].data)[3] = NAN;
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      const et_cpu_run run = {.isa = (uint8_t)isa};
      test.op.type->run(&test.op, &run);
      const float *result = et_test_result(&test)->data;
      assert_true(isnan(result[0]) && !isnan(result[1]));
    }
  }
  et_test_end(&test);
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis axis = {6, 3, 2, 2, 0, 0, 1};
  const shape s = {1, 3, axis, axis, true, false, 0, false};
  et_test_op test;
  make(&test, &s);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.attributes[0] = 2;
  et_test_refused(&test, "pool_f32: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 1;
  test.tensors[1].sizes[2] = 4;
  et_test_refused(&test,
                  "pool_f32: 4 outputs along an axis of size 6, expected 3");
  test.attributes[1] = test.attributes[2] = 0;
  et_test_refused(&test, "pool_f32: global pooling has 3 x 4 outputs");
  test.attributes[2] = 2;
  et_test_refused(&test, "pool_f32: kernel of 0 x 2 is empty");
  test.attributes[1] = 2;
  test.attributes[12] = UINT32_MAX;
  et_test_refused(&test, "pool_f32: attribute 12 is -1, expected 0 to");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_windows),
      cmocka_unit_test(test_dilated_max_pooling),
      cmocka_unit_test(test_global_average_pooling),
      cmocka_unit_test(test_global_max_pooling_of_images_without_columns),
      cmocka_unit_test(test_windows_with_many_taps_in_the_padding),
      cmocka_unit_test(test_max_pooling_propagates_nan),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
