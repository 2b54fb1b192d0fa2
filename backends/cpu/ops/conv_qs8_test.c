#include "backends/cpu/schema/conv_qs8.h"
#include "backends/cpu/ops/testing_qs8.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

typedef struct shape {
  int32_t batch, channels, columns, groups;
  et_test_axis y, x;
  bool from_signed, to_signed;
  int32_t max_exact_terms;
} shape;

/* The clamp excludes some values at each end of the range. */
enum { X_ZERO = 3 };
static const et_cpu_output_quantization output_quantization = {19.0f, 7, 10,
                                                               117};

static int32_t panel_count(const shape *s) {
  return s->groups * ((s->columns / s->groups + 15) / 16);
}

/* Returns the number of weights of a column. */
static int32_t depth_of(const shape *s) {
  return s->y.kernel * s->x.kernel * (s->channels / s->groups);
}

static int32_t quads_of(const shape *s) { return (depth_of(s) + 3) / 4; }

/* Sets scales that suit accumulators of several hundred thousand. */
static void fill_scales(float *scale, size_t count, int32_t depth) {
  for (size_t i = 0; i < count; i++) {
    scale[i] = (1.5f + et_test_number()) / (400.0f * sqrtf((float)depth));
  }
}

/* Returns the largest weight for which the products of each half of a quad can be added in
 * int16. */
static int32_t largest_weight(int32_t max_exact_terms) {
  return 64 / max_exact_terms;
}

static void fill_weights(int8_t *weights, size_t count,
                         int32_t max_exact_terms) {
  for (size_t i = 0; max_exact_terms > 0 && i < count; i++) {
    const int32_t max = largest_weight(max_exact_terms);
    weights[i] =
        (int8_t)((int32_t)et_test_below((uint32_t)(2 * max + 1)) - max);
  }
}

/* Sets the sums of the weights of each column. */
static void fill_sums(int32_t *sums, const int8_t *panels, int32_t count,
                      int32_t quads) {
  for (int32_t i = 0; i < count * 16; i++) {
    const int8_t *column = panels + i / 16 * quads * 64 + i % 16 * 4;
    sums[i] = 0;
    for (int32_t k = 0; k < quads * 4; k++) {
      sums[i] += column[k / 4 * 64 + k % 4];
    }
  }
}

/* Sets the weights of padding elements to 0. */
static void clear_padding(int8_t *panels, const shape *s) {
  const int32_t depth = quads_of(s) * 4;
  for (int32_t row = 0; row < panel_count(s) * depth; row++) {
    for (int32_t n = 0; n < 16 && row % depth >= depth_of(s); n++) {
      panels[row / 4 * 64 + n * 4 + row % 4] = 0;
    }
  }
}

static void make(et_test_op *test, const shape *s) {
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->columns};
  const int32_t count = panel_count(s);
  const int32_t quads = quads_of(s);
  const int32_t panels[4] = {count, quads, 16, 4};
  const int32_t columns[1] = {count * 16};
  et_test_begin(test, &et_cpu_op_conv_qs8);
  et_test_input(test, s->from_signed ? I8 : U8, 4, in);
  int8_t *weights = et_test_input(test, I8, 4, panels);
  fill_weights(weights, (size_t)(count * quads * 64), s->max_exact_terms);
  clear_padding(weights, s);
  int32_t *sums = et_test_input(test, ET_SCALAR_TYPE_INT32, 1, columns);
  fill_sums(sums, weights, count, quads);
  float *scale = et_test_input(test, F32, 1, columns);
  fill_scales(scale, (size_t)columns[0], quads * 4 * 2500);
  et_test_input(test, F32, 1, columns);
  et_test_output(test, s->to_signed ? I8 : U8, 4, out);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, X_ZERO);
  et_test_int(test, s->max_exact_terms);
  et_test_int(test, s->from_signed ? -128 : 0);
  et_test_quantizing(test, &output_quantization);
  et_test_int(test, s->groups);
}

/* Returns the contribution of one tap of one pixel to column n. */
static int32_t tap_sum(const et_test_op *test, const shape *s, int32_t image,
                       int32_t y, int32_t x, int32_t tap, int32_t n) {
  const int32_t channels = s->channels / s->groups;
  const int32_t columns = s->columns / s->groups;
  const int32_t panel = n / columns * ((columns + 15) / 16) + n % columns / 16;
  const int8_t *weights = (const int8_t *)test->tensors[1].data +
                          panel * quads_of(s) * 64 + n % columns % 16 * 4;
  const int32_t first = ((image * s->y.in + y) * s->x.in + x) * s->channels +
                        n / columns * channels;
  int32_t sum = 0;
  for (int32_t c = 0; c < channels; c++) {
    const int32_t k = tap * channels + c;
    sum += (et_test_byte(&test->tensors[0], (size_t)(first + c)) - X_ZERO) *
           weights[k / 4 * 64 + k % 4];
  }
  return sum;
}

/* Returns one output value: the requantized accumulator. */
static double element(const et_test_op *test, const void *shape_,
                      const et_test_place *at) {
  const shape *s = shape_;
  const int32_t n = at->channel;
  const int32_t columns = s->columns / s->groups;
  const int32_t place = n / columns * ((columns + 15) / 16) * 16 + n % columns;
  int32_t sum = 0;
  for (int32_t tap = 0; tap < s->y.kernel * s->x.kernel; tap++) {
    const int32_t y = et_test_tap(&s->y, at->y, tap / s->x.kernel);
    const int32_t x = et_test_tap(&s->x, at->x, tap % s->x.kernel);
    if (y >= 0 && x >= 0) {
      sum += tap_sum(test, s, at->image, y, x, tap, n);
    }
  }
  return et_test_requantized(&output_quantization, sum,
                             ((const float *)test->tensors[3].data)[place],
                             ((const float *)test->tensors[4].data)[place]);
}

static void check_convolution(const shape *s) {
  et_test_op test;
  make(&test, s);
  et_test_run_exact(&test, s, element);
  et_test_end(&test);
}

static et_test_axis points(int32_t count) {
  const et_test_axis axis = {count, count, 1, 1, 0, 0, 1};
  return axis;
}

static void test_linear_layers_with_every_remainder(void **state) {
  (void)state;
  for (int32_t rows = 0; rows <= 26; rows++) {
    for (int32_t columns = 1; columns <= 136; columns += 9) {
      const shape s = {1,
                       (rows * 5 + columns) % 37 + 1,
                       columns,
                       1,
                       points(1),
                       points(rows),
                       rows % 2 == 0,
                       columns % 2 == 0,
                       rows % 5};
      check_convolution(&s);
    }
  }
}

static void test_windows_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const int32_t groups = 1 + (int32_t)et_test_below(3);
    const int32_t dilation = 1 + (int32_t)et_test_below(2);
    const shape s = {
        1 + (int32_t)et_test_below(2),
        groups * (1 + (int32_t)et_test_below(20)),
        groups * (1 + (int32_t)et_test_below(80)),
        groups,
        et_test_axis_random(1 + (int32_t)et_test_below(4),
                            1 + (int32_t)et_test_below(3), dilation),
        et_test_axis_random(1 + (int32_t)et_test_below(4),
                            1 + (int32_t)et_test_below(3), dilation),
        et_test_below(2) == 0,
        et_test_below(2) == 0,
        (int32_t)et_test_below(5)};
    check_convolution(&s);
  }
}

/* The op limits the number of taps, which are listed per tile. */
static void test_blocks_of_windows_with_many_taps(void **state) {
  (void)state;
  const et_test_axis eight = {9, 2, 8, 1, 0, 0, 1};
  const et_test_axis spread = {70, 56, 8, 1, 0, 0, 2};
  const shape s = {1, 3, 17, 1, eight, spread, true, true, 1};
  check_convolution(&s);
}

static void test_blocks_of_long_rows(void **state) {
  (void)state;
  const int32_t depths[] = {500, 516, 1000, 3000, 4000, 4096};
  for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
    const shape s = {1,    depths[i],       20, 1, points(1), points(15), true,
                     true, (int32_t)(i % 2)};
    check_convolution(&s);
  }
}

static void test_several_blocks_of_pixels(void **state) {
  (void)state;
  const shape s = {1, 8, 20, 1, points(31), points(40), true, true, 1};
  check_convolution(&s);
}

/* With few pixels, columns are divided among threads. */
static void test_few_pixels_with_many_columns(void **state) {
  (void)state;
  for (int32_t pixels = 1; pixels <= 26; pixels += 5) {
    for (int32_t groups = 1; groups <= 2; groups++) {
      const shape s = {1,      256 * groups, 300 * groups,
                       groups, points(1),    points(pixels),
                       true,   true,         1};
      check_convolution(&s);
    }
  }
}

static void test_the_largest_products_do_not_saturate(void **state) {
  (void)state;
  for (int32_t max_exact_terms = 0; max_exact_terms <= 4; max_exact_terms++) {
    const shape s = {
        1, 16, 16, 1, points(1), points(6), false, true, max_exact_terms};
    et_test_op test;
    make(&test, &s);
    const int8_t weight =
        max_exact_terms > 0 ? (int8_t)largest_weight(max_exact_terms) : -128;
    memset(test.tensors[0].data, 255, test.tensors[0].bytes);
    memset(test.tensors[1].data, weight, test.tensors[1].bytes);
    fill_sums(test.tensors[2].data, test.tensors[1].data, 1, 4);
    et_test_run_exact(&test, &s, element);
    et_test_end(&test);
  }
}

/* 130 * (126 + 126) fits in int16. */
static void test_a_small_input_range_allows_larger_weights(void **state) {
  (void)state;
  const shape s = {1, 16, 16, 1, points(1), points(6), true, true, 1};
  et_test_op test;
  make(&test, &s);
  test.attributes[12] = (uint32_t)-3;
  memset(test.tensors[0].data, 127, test.tensors[0].bytes);
  memset(test.tensors[0].data, -3, 20);
  memset(test.tensors[1].data, 126, test.tensors[1].bytes);
  fill_sums(test.tensors[2].data, test.tensors[1].data, 1, 4);
  et_test_run_exact(&test, &s, element);
  et_test_end(&test);
}

/* Fills pixels with values whose range per channel is at most `span`. Channel `wide` has the full
 * range. */
static void fill_near(et_test_op *test, int32_t channels, int32_t span,
                      int32_t wide) {
  uint8_t *x = test->tensors[0].data;
  for (size_t i = 0; i < test->tensors[0].bytes; i++) {
    const int32_t channel = (int32_t)(i % (size_t)channels);
    const uint32_t above = et_test_below((uint32_t)span + 1);
    x[i] = channel == wide
               ? (uint8_t)et_test_below(256)
               : (uint8_t)((uint32_t)channel * 37 % (256 - (uint32_t)span) +
                           above + (test->tensors[0].dtype == I8 ? 128 : 0));
  }
}

/* Values relative to the minimum of their channel are multiplied as int8, or as int16 if the
 * weights of a panel require it. Here, the second panel does. */
static void test_rows_of_values_near_their_minimum(void **state) {
  (void)state;
  for (int32_t i = 0; i < 96; i++) {
    const int32_t channels = 4 * (1 + i % 24) - (i % 5 == 4 ? 3 : 0);
    const shape s = {1,          channels,   49, 1, points(1), points(14 + i),
                     i % 2 == 0, i % 4 == 0, 0};
    et_test_op test;
    make(&test, &s);
    fill_near(&test, channels, i % 7 * 20, i % 3 == 2 ? channels / 2 : -1);
    int8_t *weights = test.tensors[1].data;
    const size_t panel = (size_t)quads_of(&s) * 64;
    memset(weights + panel, i % 2 == 0 ? -128 : 127, panel);
    clear_padding(weights, &s);
    fill_sums(test.tensors[2].data, weights, 4, quads_of(&s));
    et_test_run_exact(&test, &s, element);
    et_test_end(&test);
  }
}

/* Products at the limits of int16: 127 * 2 * -128 fits, 129 * 2 * -128 does not. A range of 255
 * fits with small weights. */
static void test_ranges_at_the_limit_of_int16(void **state) {
  (void)state;
  const int32_t spans[] = {127, 128, 129, 255};
  const int8_t weights[] = {-128, 127, 64, -65};
  for (int32_t i = 0; i < 16; i++) {
    const shape s = {1, 64, 20, 1, points(1), points(40), i % 2 == 0, true, 0};
    et_test_op test;
    make(&test, &s);
    uint8_t *x = test.tensors[0].data;
    for (size_t k = 0; k < test.tensors[0].bytes; k++) {
      const uint8_t high = k / 64 % 2 == 0 ? (uint8_t)spans[i / 4] : 0;
      x[k] = k % 64 < 32 ? high : 0;
      x[k] ^= s.from_signed ? 128 : 0;
    }
    memset(test.tensors[1].data, weights[i % 4], test.tensors[1].bytes);
    fill_sums(test.tensors[2].data, test.tensors[1].data, 2, quads_of(&s));
    et_test_run_exact(&test, &s, element);
    et_test_end(&test);
  }
}

/* As in the first layer of a network, the size of window rows is not a multiple of a quad. */
static void test_windows_with_few_channels(void **state) {
  (void)state;
  for (int32_t kernel = 2; kernel <= 7; kernel++) {
    for (int32_t channels = 1; channels <= 7; channels++) {
      const et_test_axis y = {12, 0, kernel, 2, kernel / 2, kernel / 2, 1};
      et_test_axis x = {40, 0, kernel, 1 + channels % 2, kernel / 2, 1, 1};
      shape s = {2, channels, 75, 1, y, x, channels % 3 > 0, true, 0};
      s.y.out = et_test_axis_out(&s.y);
      s.x.out = et_test_axis_out(&s.x);
      check_convolution(&s);
    }
  }
}

/* Windows are entirely in the padding, or cover one pixel of the image. */
static void test_windows_in_the_padding_with_few_channels(void **state) {
  (void)state;
  for (int32_t channels = 1; channels <= 5; channels += 2) {
    et_test_axis y = {9, 0, 5, 1, 7, 6, 1};
    et_test_axis x = {4, 0, 7, 1, 9, 8, 1};
    shape s = {1, channels, 33, 1, y, x, true, true, 0};
    s.y.out = et_test_axis_out(&y);
    s.x.out = et_test_axis_out(&x);
    check_convolution(&s);
  }
}

/* The product of the strides is 2^33 + 1, which 32-bit sizes cannot represent. */
static void test_two_large_strides_are_not_pointwise(void **state) {
  (void)state;
  const et_test_axis y = {2, 2, 1, 20857, 0, 20856, 1};
  const et_test_axis x = {2, 2, 1, 411849, 0, 411848, 1};
  const shape s = {1, 5, 17, 1, y, x, true, true, 0};
  check_convolution(&s);
}

/* Scaled accumulators beyond int32 saturate. */
static void test_saturates_accumulators_beyond_int32(void **state) {
  (void)state;
  const shape s = {1, 16, 64, 1, points(1), points(13), true, true, 0};
  et_test_op test;
  make(&test, &s);
  float *scale = test.tensors[3].data;
  float *bias = test.tensors[4].data;
  for (int i = 0; i < 16; i++) {
    scale[16 + i] = 3e7f;
    bias[32 + i] = i % 2 == 0 ? 4e9f : -4e9f;
  }
  et_test_run_exact(&test, &s, element);
  et_test_end(&test);
}

/* The runtime does not verify the sums of weights. */
static void test_wrong_sums_of_weights_do_not_overflow(void **state) {
  (void)state;
  const shape s = {1, 16, 16, 1, points(1), points(6), true, true, 0};
  et_test_op test;
  make(&test, &s);
  int32_t *sums = test.tensors[2].data;
  fill_sums(sums, test.tensors[1].data, 1, 4);
  for (int i = 0; i < 16; i++) {
    sums[i] += 500 << 22;
  }
  et_test_run_exact(&test, &s, element);
  et_test_end(&test);
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const shape s = {1, 8, 20, 2, points(2), points(3), true, true, 1};
  et_test_op test;
  make(&test, &s);
  test.attributes[17] = 3;
  et_test_refused(&test,
                  "conv_qs8: 8 input and 20 output channels cannot be split "
                  "evenly into 3 groups");
  test.attributes[17] = 2;
  test.attributes[10] = 200;
  et_test_refused(&test, "conv_qs8: quantized value of tensor 0 is 200");
  test.attributes[10] = 0;
  test.attributes[11] = 4097;
  et_test_refused(&test, "attribute 11 is 4097, expected 0 to 4096");
  test.attributes[11] = 1;
  test.attributes[12] = 128;
  et_test_refused(&test, "conv_qs8: quantized value of tensor 0 is 128");
  test.attributes[12] = 0;
  test.attributes[13] = 0;
  et_test_refused(&test, "attribute 13 is not a positive number");
  test.attributes[13] = 0x3f800000;
  test.tensors[1].sizes[1] = 2;
  et_test_refused(&test, "conv_qs8: tensor 1, dim 1 is 2, expected 1");
  test.tensors[1].sizes[1] = 1;
  test.tensors[2].numel = 31;
  et_test_refused(&test, "tensor 2 has 31 elements, expected 32");
  test.tensors[2].numel = 32;
  test.tensors[0].dtype = F32;
  et_test_refused(&test, "tensor 0 is float32, expected uint8 or int8");
  et_test_end(&test);
}

static void test_rejects_windows_beyond_the_stack(void **state) {
  (void)state;
  const shape s = {1, 4097, 1, 1, points(1), points(1), true, true, 1};
  et_test_op test;
  make(&test, &s);
  et_test_refused(&test, "kernel of 1 taps x 4097 channels is too large");
  et_test_end(&test);
}

/* Visiting a million empty groups of a million pixels would exceed the time limit of the test. */
static void test_groups_without_channels_are_fast(void **state) {
  (void)state;
  const shape s = {1 << 20,   0,    0,    1 << 20, points(1),
                   points(1), true, true, true};
  const et_cpu_run run = {.isa = et_test_isa()};
  et_error error = {0};
  et_test_op test;
  make(&test, &s);
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.op.type->run(&test.op, &run);
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear_layers_with_every_remainder),
      cmocka_unit_test(test_windows_of_random_shapes),
      cmocka_unit_test(test_blocks_of_windows_with_many_taps),
      cmocka_unit_test(test_blocks_of_long_rows),
      cmocka_unit_test(test_several_blocks_of_pixels),
      cmocka_unit_test(test_few_pixels_with_many_columns),
      cmocka_unit_test(test_the_largest_products_do_not_saturate),
      cmocka_unit_test(test_a_small_input_range_allows_larger_weights),
      cmocka_unit_test(test_rows_of_values_near_their_minimum),
      cmocka_unit_test(test_ranges_at_the_limit_of_int16),
      cmocka_unit_test(test_windows_with_few_channels),
      cmocka_unit_test(test_windows_in_the_padding_with_few_channels),
      cmocka_unit_test(test_two_large_strides_are_not_pointwise),
      cmocka_unit_test(test_saturates_accumulators_beyond_int32),
      cmocka_unit_test(test_wrong_sums_of_weights_do_not_overflow),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
      cmocka_unit_test(test_rejects_windows_beyond_the_stack),
      cmocka_unit_test(test_groups_without_channels_are_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
