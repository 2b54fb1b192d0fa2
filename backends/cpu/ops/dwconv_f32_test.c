#include "backends/cpu/schema/dwconv_f32.h"
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
} shape;

static void make(et_test_op *test, const shape *s) {
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->channels};
  const int32_t panels = (s->channels + 15) / 16;
  const int32_t taps[3] = {panels, s->y.kernel * s->x.kernel, 16};
  const int32_t bias[1] = {panels * 16};
  et_test_begin(test, &et_cpu_op_dwconv_f32);
  et_test_input(test, F32, 4, in);
  et_test_input(test, F32, 3, taps);
  et_test_input(test, F32, 1, bias);
  et_test_output(test, F32, 4, out);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, 1);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}

static double element(const et_test_op *test, const shape *s, int32_t image,
                      int32_t y, int32_t x, int32_t channel, double *margin) {
  const int32_t taps = s->y.kernel * s->x.kernel;
  const float *in = test->tensors[0].data;
  const float *w = (const float *)test->tensors[1].data +
                   (size_t)(channel / 16 * taps) * 16 + channel % 16;
  double sum = ((const float *)test->tensors[2].data)[channel];
  double size = fabs(sum);
  for (int32_t tap = 0; tap < taps; tap++) {
    const int32_t iy = et_test_tap(&s->y, y, tap / s->x.kernel);
    const int32_t ix = et_test_tap(&s->x, x, tap % s->x.kernel);
    if (iy >= 0 && ix >= 0) {
      const int32_t pixel = (image * s->y.in + iy) * s->x.in + ix;
      const double product = (double)w[(size_t)tap * 16] *
                             (double)in[pixel * s->channels + channel];
      sum += product;
      size += fabs(product);
    }
  }
  *margin = 1e-6 + 1e-6 * size;
  return sum < -0.5 ? -0.5 : sum > 0.75 ? 0.75 : sum;
}

static void check_depthwise(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const int32_t pixel = (int32_t)i / s->channels;
    expected[i] = element(&test, s, pixel / s->x.out / s->y.out,
                          pixel / s->x.out % s->y.out, pixel % s->x.out,
                          (int32_t)i % s->channels, &expected[count + i]);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_random_windows(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const shape s = {1 + (int32_t)et_test_below(2),
                     1 + (int32_t)et_test_below(40),
                     et_test_axis_random(1 + (int32_t)et_test_below(7),
                                         1 + (int32_t)et_test_below(3),
                                         1 + (int32_t)et_test_below(2)),
                     et_test_axis_random(1 + (int32_t)et_test_below(7),
                                         1 + (int32_t)et_test_below(3),
                                         1 + (int32_t)et_test_below(2))};
    check_depthwise(&s);
  }
}

static void test_windows_of_size_3_and_5(void **state) {
  (void)state;
  for (int32_t i = 0; i < 120; i++) {
    const int32_t kernel = i % 2 == 0 ? 3 : 5;
    const int32_t stride = 1 + i / 2 % 2;
    const int32_t many = i % 10 < 4 ? 128 : 0; /* enough work to split */
    const shape s = {1, many + 1 + (int32_t)et_test_below(50),
                     et_test_axis_random(kernel, stride, 1),
                     et_test_axis_random(kernel, stride, 1)};
    check_depthwise(&s);
  }
}

/* Checks rows of `pixels` pixels, with windows that extend `pad` columns beyond the image. */
static void check_rows(int32_t pixels, int32_t kernel, int32_t stride,
                       int32_t pad) {
  static const int32_t channels[] = {9, 20, 31, 48};
  const et_test_axis x = {pixels * stride + kernel - stride - 2 * pad,
                          pixels,
                          kernel,
                          stride,
                          pad,
                          pad,
                          1};
  const int32_t middle = kernel / 2;
  const et_test_axis y = {2 * stride,          2, kernel, stride, middle,
                          middle + 1 - stride, 1};
  for (size_t i = 0; x.in > 0 && i < sizeof channels / sizeof *channels; i++) {
    const shape s = {1, channels[i], y, x};
    check_depthwise(&s);
  }
}

/* Covers rows shorter than a tile, all remainders of rows, and channels whose last vector overlaps
 * the previous one. */
static void test_rows_of_1_to_22_pixels(void **state) {
  (void)state;
  for (int32_t pixels = 1; pixels <= 22; pixels++) {
    for (int32_t kernel = 3; kernel <= 5; kernel += 2) {
      for (int32_t stride = 1; stride <= 2; stride++) {
        for (int32_t pad = 0; pad < kernel; pad++) {
          check_rows(pixels, kernel, stride, pad);
        }
      }
    }
  }
}

/* Covers more than four rows per thread for three threads, and parts of the channels. */
static void test_row_ranges_of_different_sizes(void **state) {
  (void)state;
  for (int32_t rows = 11; rows <= 16; rows++) {
    const et_test_axis y = {rows, rows, 3, 1, 1, 1, 1};
    const et_test_axis x = {5, 5, 3, 1, 1, 1, 1};
    const shape s = {1 + rows % 2, 400, y, x};
    check_depthwise(&s);
  }
}

/* Runs the chunks of the first of two threads. */
static void run_first_half(void *context, size_t count,
                           void (*function)(void *data, size_t index),
                           void *data) {
  (void)context;
  for (size_t i = 0; i < count / 2; i++) {
    function(data, i);
  }
}

static void check_half_of(et_test_op *test, uint8_t isa) {
  const et_parallel two = {NULL, 2, run_first_half};
  const et_cpu_run run = {.isa = isa, .parallel = &two};
  const float untouched = 1e9f;
  float *out = et_test_result(test)->data;
  const size_t count = et_test_result(test)->numel;
  for (size_t i = 0; i < count; i++) {
    out[i] = untouched;
  }
  test->op.type->run(&test->op, &run);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(out[i] != untouched, i < count / 2);
  }
}

static void test_threads_have_consecutive_rows(void **state) {
  (void)state;
  const et_test_axis y = {8, 8, 3, 1, 1, 1, 1};
  const et_test_axis x = {3, 3, 3, 1, 1, 1, 1};
  const shape s = {1, 300, y, x};
  et_test_op test;
  make(&test, &s);
  for (uint8_t isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      check_half_of(&test, isa);
    }
  }
  et_test_end(&test);
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const shape s = {1, 20, side, side};
  et_test_op test;
  make(&test, &s);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.tensors[3].sizes[3] = 19;
  et_test_refused(
      &test,
      "dwconv_f32: input has 1 images of 20 channels, but output has 1 of 19");
  test.tensors[3].sizes[3] = 20;
  test.tensors[1].sizes[1] = 8;
  et_test_refused(&test, "dwconv_f32: tensor 1, dim 1 is 8, expected 9");
  test.tensors[1].sizes[1] = 9;
  test.tensors[2].numel = 16;
  et_test_refused(&test, "dwconv_f32: tensor 2 has 16 elements, expected 32");
  test.tensors[2].numel = 32;
  test.tensors[0].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&test, "dwconv_f32: tensor 0 is float16, expected float32");
  test.tensors[0].dtype = ET_SCALAR_TYPE_FLOAT32;
  test.attributes[8] = 0;
  et_test_refused(&test, "dwconv_f32: attribute 8 is 0, expected 1 to");
  test.attributes[8] = 1;
  test.attributes[0] = 257;
  test.attributes[4] = 130;
  test.attributes[6] = 126;
  et_test_refused(&test, "dwconv_f32: kernel has 257 rows, expected 1 to 256");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_windows),
      cmocka_unit_test(test_windows_of_size_3_and_5),
      cmocka_unit_test(test_rows_of_1_to_22_pixels),
      cmocka_unit_test(test_row_ranges_of_different_sizes),
      cmocka_unit_test(test_threads_have_consecutive_rows),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
