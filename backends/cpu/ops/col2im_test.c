#include "backends/cpu/schema/col2im.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

enum { MAX_FIELD = 4096 };

/* Window parameters of one axis. */
typedef struct axis {
  int32_t size;
  int32_t kernel;
  int32_t stride;
  int32_t pad;
  int32_t dilation;
} axis;

static int32_t places_of(const axis *a) {
  return (a->size + 2 * a->pad - (a->kernel - 1) * a->dilation - 1) /
             a->stride +
         1;
}

static void make(et_test_op *test, const axis *down, const axis *across,
                 int32_t batch, int32_t channels) {
  const int32_t x[5] = {batch, places_of(down), places_of(across),
                        down->kernel * across->kernel, channels};
  const int32_t y[4] = {batch, down->size, across->size, channels};
  et_test_begin(test, &et_cpu_op_col2im);
  et_test_input(test, F32, 5, x);
  et_test_output(test, F32, 4, y);
  et_test_int(test, down->kernel);
  et_test_int(test, across->kernel);
  et_test_int(test, down->stride);
  et_test_int(test, across->stride);
  for (int i = 0; i < 2; i++) {
    et_test_int(test, down->pad);
    et_test_int(test, across->pad);
  }
  et_test_int(test, down->dilation);
  et_test_int(test, across->dilation);
}

/* Adds each element of the windows to its pixel. */
static void add_windows(const et_test_op *test, const axis *down,
                        const axis *across, double *sums) {
  const int32_t *x = test->tensors[0].sizes;
  const float *from = test->tensors[0].data;
  for (size_t i = 0; i < test->tensors[0].numel; i++) {
    const int32_t channel = (int32_t)(i % (size_t)x[4]);
    const int32_t tap = (int32_t)(i / (size_t)x[4]) % x[3];
    const int32_t place = (int32_t)(i / (size_t)(x[4] * x[3]));
    const int32_t row = place / x[2] % x[1] * down->stride - down->pad +
                        tap / across->kernel * down->dilation;
    const int32_t column = place % x[2] * across->stride - across->pad +
                           tap % across->kernel * across->dilation;
    if (row >= 0 && row < down->size && column >= 0 && column < across->size) {
      const int32_t batch = place / x[2] / x[1];
      sums[((batch * down->size + row) * across->size + column) * x[4] +
           channel] += from[i];
    }
  }
}

static void check_fold(axis down, axis across, int32_t batch,
                       int32_t channels) {
  static double sums[MAX_FIELD];
  static double margin[MAX_FIELD];
  et_test_op test;
  make(&test, &down, &across, batch, channels);
  assert_in_range(test.tensors[1].numel, 0, MAX_FIELD);
  float *x = test.tensors[0].data;
  for (size_t i = 0; i < test.tensors[0].numel; i++) {
    x[i] = (float)((int32_t)(i * 7919 % 97) - 48);
  }
  memset(sums, 0, sizeof(sums));
  add_windows(&test, &down, &across, sums);
  et_test_run(&test, sums, margin);
  et_test_end(&test);
}

static void test_overlapping_windows(void **state) {
  (void)state;
  check_fold((axis){9, 3, 2, 1, 1}, (axis){7, 3, 2, 1, 1}, 2, 19);
  check_fold((axis){6, 3, 1, 0, 1}, (axis){8, 2, 3, 1, 1}, 1, 1);
  check_fold((axis){9, 2, 1, 2, 3}, (axis){9, 3, 1, 0, 2}, 3, 5);
}

static void test_pixels_without_windows_are_zero(void **state) {
  (void)state;
  check_fold((axis){8, 2, 3, 0, 1}, (axis){9, 1, 4, 0, 1}, 1, 17);
}

/* The kernel has 2^30 taps and is wider than the image. Visiting each tap would exceed the time
 * limit of the test. */
static void test_images_smaller_than_the_window_are_zero(void **state) {
  (void)state;
  check_fold((axis){60, 32768, 1, 16384, 1}, (axis){63, 32768, 1, 16352, 1}, 1,
             1);
}

static void test_every_small_window(void **state) {
  (void)state;
  for (int32_t i = 0; i < 2 * 3 * 3 * 3 * 2; i++) {
    const axis a = {5 + i % 2, 1 + i / 2 % 3, 1 + i / 6 % 3, i / 18 % 3,
                    1 + i / 54};
    check_fold(a, (axis){6, 2, 1, 1, 1}, 1, 3);
    check_fold((axis){6, 2, 2, 0, 1}, a, 2, 2);
  }
}

static void test_rejects_invalid_shapes_and_windows(void **state) {
  (void)state;
  const axis a = {5, 3, 1, 1, 1};
  et_test_op test;
  make(&test, &a, &a, 2, 4);
  test.attributes[2] = 0;
  et_test_refused(&test, "col2im: attribute 2 is 0, expected 1 to 1048576");
  test.attributes[2] = 2;
  et_test_refused(&test,
                  "col2im: 5 outputs along an axis of size 5, expected 3");
  test.attributes[2] = 1;
  test.tensors[0].sizes[3] = 8;
  et_test_refused(&test, "col2im: tensor 0, dim 3 is 8, expected 9");
  test.tensors[0].sizes[3] = 9;
  test.tensors[1].sizes[3] = 3;
  et_test_refused(&test, "col2im: tensor 0, dim 4 is 4, expected 3");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_overlapping_windows),
      cmocka_unit_test(test_pixels_without_windows_are_zero),
      cmocka_unit_test(test_images_smaller_than_the_window_are_zero),
      cmocka_unit_test(test_every_small_window),
      cmocka_unit_test(test_rejects_invalid_shapes_and_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
