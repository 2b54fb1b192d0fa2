#include "backends/cpu/schema/dwconv_qs8.h"
#include "backends/cpu/ops/testing_qs8.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

typedef struct shape {
  int32_t batch, channels;
  et_test_axis y, x;
  bool from_signed, to_signed;
  int32_t max_exact_terms;
} shape;

enum { X_ZERO = 5 };
static const et_cpu_output_quantization output_quantization = {20.0f, 60, 20,
                                                               110};

static int32_t tap_count(const shape *s) { return s->y.kernel * s->x.kernel; }

static int32_t quad_count(const shape *s) {
  return s->x.kernel * ((s->y.kernel + 3) / 4);
}

/* Returns the index of row i, column j of a window. */
static size_t tap_place(const shape *s, int32_t i, int32_t j, int32_t channel) {
  const int32_t quad = j * ((s->y.kernel + 3) / 4) + i / 4;
  const int32_t place = channel / 16 * quad_count(s) + quad;
  return (size_t)(place * 64 + channel % 16 * 4 + i % 4);
}

/* Returns a random weight. It is any int8 value, or one for which the products of `max_exact_terms`
 * quads of full-range values can be added in int16. */
static int32_t weight_of(const shape *s) {
  if (s->max_exact_terms == 0) {
    return (int32_t)et_test_below(256) - 128;
  }
  const size_t max = (size_t)(64 / s->max_exact_terms);
  return (int32_t)et_test_below(2 * max + 1) - (int32_t)max;
}

/* Sets weights and their sums. Padding rows are 0. */
static void fill_taps(const shape *s, int8_t *taps, int32_t *sums) {
  for (int32_t c = 0; c < (s->channels + 15) / 16 * 16; c++) {
    sums[c] = 0;
    for (int32_t tap = 0; tap < 4 * quad_count(s); tap++) {
      const int32_t i = tap / s->x.kernel;
      const int32_t weight = weight_of(s);
      int8_t *at = &taps[tap_place(s, i, tap % s->x.kernel, c)];
      *at = (int8_t)(i < s->y.kernel ? weight : 0);
      sums[c] += *at;
    }
  }
}

static void fill_equal_taps(const shape *s, int32_t weight, et_test_op *test) {
  int8_t *taps = test->tensors[1].data;
  int32_t *sums = test->tensors[2].data;
  for (int32_t c = 0; c < s->channels; c++) {
    for (int32_t tap = 0; tap < tap_count(s); tap++) {
      taps[tap_place(s, tap / s->x.kernel, tap % s->x.kernel, c)] =
          (int8_t)weight;
    }
    sums[c] = weight * tap_count(s);
  }
}

static void make(et_test_op *test, const shape *s) {
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->channels};
  const int32_t count = (s->channels + 15) / 16;
  const int32_t packed[4] = {count, quad_count(s), 16, 4};
  const int32_t columns[1] = {count * 16};
  et_test_begin(test, &et_cpu_op_dwconv_qs8);
  et_test_input(test, s->from_signed ? I8 : U8, 4, in);
  int8_t *taps = et_test_input(test, I8, 4, packed);
  fill_taps(s, taps, et_test_input(test, ET_SCALAR_TYPE_INT32, 1, columns));
  float *scale = et_test_input(test, F32, 1, columns);
  for (int32_t i = 0; i < columns[0]; i++) {
    scale[i] = (1.5f + et_test_number()) * 1e-4f;
  }
  et_test_input(test, F32, 1, columns);
  et_test_output(test, s->to_signed ? I8 : U8, 4, out);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, X_ZERO);
  et_test_int(test, s->max_exact_terms);
  et_test_int(test, s->from_signed ? -128 : 0);
  et_test_quantizing(test, &output_quantization);
}

static double element(const et_test_op *test, const void *shape_,
                      const et_test_place *at) {
  const shape *s = shape_;
  const int8_t *taps = test->tensors[1].data;
  const int32_t c = at->channel;
  int32_t sum = 0;
  for (int32_t tap = 0; tap < tap_count(s); tap++) {
    const int32_t y = et_test_tap(&s->y, at->y, tap / s->x.kernel);
    const int32_t x = et_test_tap(&s->x, at->x, tap % s->x.kernel);
    if (y >= 0 && x >= 0) {
      const int32_t pixel = (at->image * s->y.in + y) * s->x.in + x;
      const size_t index = (size_t)(pixel * s->channels + c);
      sum += (et_test_byte(&test->tensors[0], index) - X_ZERO) *
             taps[tap_place(s, tap / s->x.kernel, tap % s->x.kernel, c)];
    }
  }
  return et_test_requantized(&output_quantization, sum,
                             ((const float *)test->tensors[3].data)[c],
                             ((const float *)test->tensors[4].data)[c]);
}

static void check_depthwise(const shape *s) {
  et_test_op test;
  make(&test, s);
  et_test_run_exact(&test, s, element);
  et_test_end(&test);
}

static void test_windows_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const int32_t dilation = 1 + (int32_t)et_test_below(2);
    const int32_t stride = 1 + (int32_t)et_test_below(3);
    const shape s = {
        1 + (int32_t)et_test_below(2),
        1 + (int32_t)et_test_below(150),
        et_test_axis_random(1 + (int32_t)et_test_below(5), stride, dilation),
        et_test_axis_random(1 + (int32_t)et_test_below(5), stride, dilation),
        et_test_below(2) == 0,
        et_test_below(2) == 0,
        (int32_t)et_test_below(8)};
    check_depthwise(&s);
  }
}

/* Covers windows unrolled over pixels, windows unrolled over rows (few channels), and the
 * remainders of both loops. */
static void test_common_windows_over_any_number_of_channels(void **state) {
  (void)state;
  static const int32_t channels[] = {3, 16, 20, 32, 33, 48, 64, 80, 96, 144};
  for (int32_t i = 0; i < 40; i++) {
    const int32_t kernel = i % 4 < 2 ? 3 : 5;
    const int32_t stride = 1 + i % 2;
    const int32_t side = kernel / 2;
    const int32_t rows = 1 + (int32_t)et_test_below(6);
    const int32_t pixels = 1 + (int32_t)et_test_below(20);
    const et_test_axis y = {stride * rows, rows, kernel, stride, side, side, 1};
    const et_test_axis x = {
        stride * pixels, pixels, kernel, stride, side, side, 1};
    const shape s = {1 + i % 3 / 2, channels[i / 4], y,    x,
                     i % 3 == 0,    i % 2 == 0,      i % 4};
    check_depthwise(&s);
  }
}

/* Rows are divided among three threads. */
static void test_threads_share_rows(void **state) {
  (void)state;
  for (int32_t rows = 5; rows <= 30; rows += 5) {
    const et_test_axis y = {rows, rows, 3, 1, 1, 1, 1};
    const et_test_axis x = {7, 7, 3, 1, 1, 1, 1};
    const shape s = {1 + rows % 2, 80, y, x, true, false, 1};
    check_depthwise(&s);
  }
}

/* Covers 3 x 3 windows, which have specialized loops, and others. */
static void test_the_largest_products_do_not_saturate(void **state) {
  (void)state;
  for (int32_t kernel = 2; kernel <= 4; kernel++) {
    for (int32_t max_exact_terms = 1; max_exact_terms <= 8; max_exact_terms++) {
      const et_test_axis one = {kernel, 1, kernel, 1, 0, 0, 1};
      const et_test_axis nine = {kernel + 8, 9, kernel, 1, 0, 0, 1};
      const shape s = {1,
                       16,
                       one,
                       max_exact_terms % 2 == 0 ? one : nine,
                       false,
                       true,
                       max_exact_terms};
      et_test_op test;
      make(&test, &s);
      memset(test.tensors[0].data, 255, test.tensors[0].bytes);
      fill_equal_taps(&s, 64 / max_exact_terms, &test);
      et_test_run_exact(&test, &s, element);
      et_test_end(&test);
    }
  }
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis axis = et_test_axis_random(3, 1, 1);
  const shape s = {1, 20, axis, axis, true, true, 0};
  et_test_op test;
  make(&test, &s);
  test.tensors[1].sizes[1] = 9;
  et_test_refused(&test, "dwconv_qs8: tensor 1, dim 1 is 9, expected 3");
  test.tensors[1].sizes[1] = 3;
  test.tensors[5].sizes[3] = 21;
  et_test_refused(
      &test,
      "dwconv_qs8: input has 1 images of 20 channels, but output has 1 of 21");
  test.tensors[5].sizes[3] = 20;
  test.attributes[12] = 128;
  et_test_refused(&test, "dwconv_qs8: quantized value of tensor 0 is 128");
  test.attributes[12] = 0;
  test.attributes[11] = UINT32_MAX;
  et_test_refused(&test, "dwconv_qs8: attribute 11 is -1, expected 0 to 4096");
  et_test_end(&test);
}

static void test_rejects_kernels_beyond_the_stack(void **state) {
  (void)state;
  const et_test_axis axis = {9, 1, 9, 1, 0, 0, 1};
  const shape s = {1, 20, axis, axis, true, true, 0};
  et_test_op test;
  make(&test, &s);
  et_test_refused(&test, "dwconv_qs8: kernel of 9 x 9 taps is too large");
  et_test_end(&test);
}

/* Covers images wider than the buffer, with the largest windows. */
static void test_computes_wide_images_in_parts(void **state) {
  (void)state;
  const et_test_axis lines[] = {
      {5, 3, 3, 1, 0, 0, 1}, {64, 1, 64, 1, 0, 0, 1}, {5, 5, 1, 1, 0, 0, 1}};
  const et_test_axis wide[] = {{300, 300, 3, 1, 1, 1, 1},
                               {300, 150, 1, 2, 0, 0, 1},
                               {300, 79, 64, 3, 0, 0, 1}};
  for (size_t i = 0; i < 3; i++) {
    for (int32_t max_exact_terms = 0; max_exact_terms < 2; max_exact_terms++) {
      const shape s = {1, 17, lines[i], wide[i], true, true, max_exact_terms};
      check_depthwise(&s);
    }
  }
}

/* Dilated windows are computed one by one. The square of their number exceeds 2^32. */
static void test_long_rows_of_dilated_windows(void **state) {
  (void)state;
  const et_test_axis y = {1, 1, 1, 1, 0, 0, 1};
  const et_test_axis x = {70002, 70000, 2, 1, 0, 0, 2};
  const shape s = {1, 1, y, x, true, true, 0};
  check_depthwise(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows_of_random_shapes),
      cmocka_unit_test(test_common_windows_over_any_number_of_channels),
      cmocka_unit_test(test_computes_wide_images_in_parts),
      cmocka_unit_test(test_long_rows_of_dilated_windows),
      cmocka_unit_test(test_threads_share_rows),
      cmocka_unit_test(test_the_largest_products_do_not_saturate),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
      cmocka_unit_test(test_rejects_kernels_beyond_the_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
