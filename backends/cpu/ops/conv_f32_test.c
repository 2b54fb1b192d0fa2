#include "backends/cpu/schema/conv_f32.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef et_test_conv shape;

static void make(et_test_op *test, const shape *s) {
  et_test_make_convolution(test, &et_cpu_op_conv_f32, ET_SCALAR_TYPE_FLOAT32,
                           s);
}

/* Returns the index of a channel of a pixel. */
static size_t place(const shape *s, int32_t image, int32_t y, int32_t x,
                    int32_t channel) {
  const size_t plane = (size_t)s->y.in * (size_t)s->x.in;
  const size_t pixel = (size_t)y * (size_t)s->x.in + (size_t)x;
  const size_t before = (size_t)image * plane * (size_t)s->channels;
  return s->planar ? before + (size_t)channel * plane + pixel
                   : before + pixel * (size_t)s->channels + (size_t)channel;
}

/* Computes one element in double, and the error bound of a sum in float32. */
static double element(const et_test_op *test, const shape *s, int32_t image,
                      int32_t y, int32_t x, int32_t n, double *margin) {
  const int32_t columns = s->columns / s->groups;
  const int32_t depth = s->channels / s->groups;
  const int32_t group = n / columns;
  const int32_t column = n % columns + group * ((columns + 15) / 16) * 16;
  const float *in = test->tensors[0].data;
  const size_t stride = (size_t)(s->y.kernel * s->x.kernel * depth);
  const float *w = (const float *)test->tensors[1].data +
                   (size_t)(column / 16) * stride * 16 + column % 16;
  double sum = ((const float *)test->tensors[2].data)[column];
  double size = fabs(sum);
  for (int32_t tap = 0; tap < s->y.kernel * s->x.kernel; tap++) {
    const int32_t iy = et_test_tap(&s->y, y, tap / s->x.kernel);
    const int32_t ix = et_test_tap(&s->x, x, tap % s->x.kernel);
    for (int32_t c = 0; c < depth; c++, w += 16) {
      if (iy >= 0 && ix >= 0) {
        const double product =
            (double)*w * (double)in[place(s, image, iy, ix, group * depth + c)];
        sum += product;
        size += fabs(product);
      }
    }
  }
  *margin = 1e-6 + 1e-6 * size;
  return sum;
}

static void check_convolution(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const int32_t at = (int32_t)i;
    const int32_t pixel = at / s->columns;
    double sum = element(&test, s, pixel / s->x.out / s->y.out,
                         pixel / s->x.out % s->y.out, pixel % s->x.out,
                         at % s->columns, &expected[count + i]);
    if (s->residual) {
      sum += (double)((const float *)test.tensors[3].data)[i];
    }
    expected[i] = !s->clamp ? sum : sum < -0.5 ? -0.5 : sum > 0.75 ? 0.75 : sum;
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_convolutions_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    const shape s = et_test_random_convolution(false);
    check_convolution(&s);
  }
}

static void test_planar_input_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    shape s = et_test_random_convolution(true);
    s.channels /= s.groups;
    s.columns /= s.groups;
    s.groups = 1;
    check_convolution(&s);
  }
}

static void test_planar_rows_of_several_row_tiles(void **state) {
  (void)state;
  const et_test_axis y = {5, 5, 3, 1, 1, 1, 1};
  const et_test_axis x = {1400, 700, 3, 2, 1, 0, 1};
  const shape s = {1, 3, 100, 1, y, x, true, true, true};
  check_convolution(&s);
}

/* Covers row widths of one or two tiles, with and without remainders. */
static void test_planar_rows_with_every_remainder(void **state) {
  (void)state;
  const et_test_axis y = {3, 3, 3, 1, 1, 1, 1};
  for (int32_t width = 5; width <= 31; width++) {
    const et_test_axis near = {width, width, 3, 1, 1, 1, 1};
    const et_test_axis apart = {2 * width, width, 3, 2, 1, 0, 1};
    const shape s = {1, 3, 40, 1, y, near, true, width % 2 == 0, true};
    const shape skipping = {1, 3, 16, 1, y, apart, true, false, false};
    check_convolution(&s);
    check_convolution(&skipping);
  }
}

/* Returns an axis with `out` outputs and the given padding before it. The padding after it is
 * derived from them. */
static et_test_axis axis(int32_t out, int32_t kernel, int32_t stride,
                         int32_t before, int32_t dilation, int32_t after) {
  const int32_t read = (out - 1) * stride + (kernel - 1) * dilation + 1;
  return (et_test_axis){
      read - before - after, out, kernel, stride, before, after, dilation};
}

/* Windows inside the image are read in place. */
static void test_planar_windows_inside_and_at_edges(void **state) {
  (void)state;
  for (int32_t i = 0; i < 108; i++) {
    const int32_t kernel = 3 + 2 * (i % 3);
    const int32_t stride = 1 + i / 3 % 2;
    const int32_t dilation = 1 + i / 6 % 2;
    const int32_t reach = (kernel - 1) * dilation;
    const int32_t before = i / 12 % 3 * reach / 4;
    const int32_t after = i / 36 % 3 * reach / 4;
    const int32_t out = 37 + (int32_t)et_test_below(24);
    const et_test_axis x = axis(out, kernel, stride, before, dilation, after);
    const et_test_axis y = axis(9, kernel, stride, after, dilation, before);
    const shape s = {2,    2,          i % 4 == 0 ? 24 : 16 + 16 * (i % 4),
                     1,    y,          x,
                     true, i % 5 == 0, true};
    check_convolution(&s);
  }
}

static void test_images_of_several_blocks(void **state) {
  (void)state;
  const et_test_axis side = {15, 15, 3, 1, 1, 1, 1};
  const shape s = {1, 20, 40, 1, side, side, false, true, true};
  check_convolution(&s);
}

/* Covers blocks of the maximum size, and smaller blocks whose last tiles have different numbers of
 * rows. */
static void test_blocks_with_every_remainder(void **state) {
  (void)state;
  const et_test_axis y = {1, 1, 3, 1, 1, 1, 1};
  for (int32_t width = 83; width <= 97; width++) {
    const et_test_axis x = {width, width, 3, 1, 1, 1, 1};
    const shape s = {1, 4, 40, 1, y, x, false, width % 2 == 0, true};
    check_convolution(&s);
  }
}

static void test_many_channels_are_accumulated_in_parts(void **state) {
  (void)state;
  const et_test_axis side = {3, 3, 3, 1, 1, 1, 1};
  const shape wide = {1, 400, 20, 1, side, side, false, true, true};
  const shape deep = {1, 100, 130, 1, side, side, false, true, false};
  check_convolution(&wide);
  check_convolution(&deep);
}

/* Checks that each output equals the bias of its channel. */
static void check_bias(const shape *s) {
  et_test_op test;
  make(&test, s);
  const float *bias = test.tensors[2].data;
  const size_t count = et_test_result(&test)->numel;
  double *expected = calloc(2 * count, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = (double)bias[i % (size_t)s->columns];
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

/* Without channels, weights are empty, so the kernel may have 2^30 taps. Visiting each tap would
 * exceed the time limit of the test. */
static void test_images_without_channels(void **state) {
  (void)state;
  const et_test_axis side = {64, 64, 32768, 1, 16384, 16383, 1};
  const et_test_axis narrow = {64, 64, 6000, 1, 3000, 2999, 1};
  const shape nhwc = {1, 0, 20, 1, side, side, false, false, false};
  const shape planar = {1, 0, 20, 1, side, narrow, true, false, false};
  check_bias(&nhwc);
  check_bias(&planar);
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const shape s = {1, 4, 8, 2, side, side, false, true, true};
  et_test_op test;
  make(&test, &s);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.attributes[1] = 0;
  et_test_refused(&test, "conv_f32: attribute 1 is 0");
  test.attributes[1] = 3;
  test.attributes[5] = 0x7fffffff;
  et_test_refused(&test, "conv_f32: attribute 5 is 2147483647");
  test.attributes[5] = 2;
  et_test_refused(&test, "conv_f32: 6 outputs along an axis of size 6");
  test.attributes[5] = 1;
  test.attributes[11] = 3;
  et_test_refused(&test,
                  "conv_f32: 4 input and 8 output channels cannot be split "
                  "evenly into 3 groups");
  test.attributes[0] = 2;
  et_test_refused(&test, "conv_f32: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 0;
  test.attributes[12] = 11;
  et_test_refused(&test, "conv_f32: attribute 12 is 11, expected 0 to 10");
  test.attributes[12] = 1;
  test.attributes[11] = 0;
  et_test_refused(&test, "conv_f32: attribute 11 is 0, expected 1 to");
  test.attributes[11] = 2;
  test.tensors[1].sizes[2] = 9;
  et_test_refused(&test, "conv_f32: tensor 1, dim 2 is 9, expected 18");
  test.tensors[0].sizes[0] = 2;
  et_test_refused(&test, "conv_f32: input has 2 images, but output has 1");
  test.tensors[0].dtype = ET_SCALAR_TYPE_INT32;
  et_test_refused(&test, "conv_f32: tensor 0 is int32, expected float32");
  et_test_end(&test);
}

static void test_rejects_large_windows_of_planar_input(void **state) {
  (void)state;
  const et_test_axis small = {6, 6, 3, 1, 1, 1, 1};
  const et_test_axis far = {400, 2, 3, 1, 0, 0, 199};
  const shape many = {1, 57, 8, 1, small, small, true, false, false};
  const shape wide = {1, 6, 8, 1, small, far, true, false, false};
  et_test_op test;
  make(&test, &many);
  et_test_refused(&test, "windows of 3 x 3 over 57 channels are too large");
  et_test_end(&test);
  make(&test, &wide);
  et_test_refused(&test, "windows of 3 x 3 over 6 channels are too large");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_convolutions_of_random_shapes),
      cmocka_unit_test(test_planar_input_of_random_shapes),
      cmocka_unit_test(test_planar_rows_of_several_row_tiles),
      cmocka_unit_test(test_planar_rows_with_every_remainder),
      cmocka_unit_test(test_planar_windows_inside_and_at_edges),
      cmocka_unit_test(test_images_of_several_blocks),
      cmocka_unit_test(test_blocks_with_every_remainder),
      cmocka_unit_test(test_many_channels_are_accumulated_in_parts),
      cmocka_unit_test(test_images_without_channels),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
      cmocka_unit_test(test_rejects_large_windows_of_planar_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
