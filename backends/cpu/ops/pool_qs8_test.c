#include "backends/cpu/schema/pool_qs8.h"
#include "backends/cpu/ops/testing_qs8.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

typedef struct shape {
  int32_t batch, channels;
  et_test_axis y, x;
  bool maximum, count_padding;
  int32_t divisor;
  bool from_signed, to_signed;
  const et_cpu_output_quantization
      *output_quantization; /* NULL to use `clamped` */
} shape;

enum { X_ZERO = 9 };
static const float scale = 0.037f;
static const et_cpu_output_quantization clamped = {21.0f, 50, 2, 120};

static const et_cpu_output_quantization *quantizing_of(const shape *s) {
  return s->output_quantization == NULL ? &clamped : s->output_quantization;
}

static void make(et_test_op *test, const shape *s) {
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->channels};
  et_test_begin(test, &et_cpu_op_pool_qs8);
  et_test_input(test, s->from_signed ? I8 : U8, 4, in);
  et_test_output(test, s->to_signed ? I8 : U8, 4, out);
  et_test_int(test, s->maximum);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, s->count_padding);
  et_test_int(test, s->divisor);
  et_test_int(test, X_ZERO);
  et_test_float(test, scale);
  et_test_quantizing(test, quantizing_of(s));
}

static float divisor(const shape *s, int32_t inside) {
  if (s->divisor != 0) {
    return (float)s->divisor;
  }
  return (float)(s->count_padding ? s->y.kernel * s->x.kernel : inside);
}

/* The sum or maximum is an integer. All further operations are in float32. */
static double element(const et_test_op *test, const void *shape_,
                      const et_test_place *at) {
  const shape *s = shape_;
  int32_t sum = 0;
  int32_t max = -1000;
  int32_t inside = 0;
  for (int32_t tap = 0; tap < s->y.kernel * s->x.kernel; tap++) {
    const int32_t y = et_test_tap(&s->y, at->y, tap / s->x.kernel);
    const int32_t x = et_test_tap(&s->x, at->x, tap % s->x.kernel);
    if (y >= 0 && x >= 0) {
      const int32_t pixel = (at->image * s->y.in + y) * s->x.in + x;
      const size_t index = (size_t)(pixel * s->channels + at->channel);
      const int32_t value = et_test_byte(&test->tensors[0], index) - X_ZERO;
      sum += value;
      max = value > max ? value : max;
      inside++;
    }
  }
  return et_test_quantized(
      quantizing_of(s), s->maximum ? (float)max * scale
                                   : (float)sum * scale / divisor(s, inside));
}

static void check_pool(const shape *s) {
  et_test_op test;
  make(&test, s);
  et_test_run_exact(&test, s, element);
  et_test_end(&test);
}

/* Each window has a tap inside the image. */
static et_test_axis random_axis(void) {
  et_test_axis axis = {.kernel = 1 + (int32_t)et_test_below(4),
                       .stride = 1 + (int32_t)et_test_below(3),
                       .dilation = 1};
  axis.in = axis.kernel + (int32_t)et_test_below(9);
  axis.before = (int32_t)et_test_below((size_t)axis.kernel);
  axis.after = (int32_t)et_test_below((size_t)axis.kernel);
  axis.out = et_test_axis_out(&axis);
  return axis;
}

static void test_windows_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const shape s = {1 + (int32_t)et_test_below(2),
                     1 + (int32_t)et_test_below(i % 4 == 0 ? 150 : 50),
                     random_axis(),
                     random_axis(),
                     et_test_below(2) == 0,
                     et_test_below(2) == 0,
                     (int32_t)et_test_below(3) * 5,
                     et_test_below(2) == 0,
                     et_test_below(2) == 0,
                     NULL};
    check_pool(&s);
  }
}

static void test_blocks_with_many_channels(void **state) {
  (void)state;
  const et_test_axis whole = {7, 1, 7, 1, 0, 0, 1};
  const shape s = {2, 530, whole, whole, false, false, 0, true, true, NULL};
  const shape largest = {2,     530, whole, whole, true,
                         false, 0,   true,  false, NULL};
  check_pool(&s);
  check_pool(&largest);
}

/* Values do not change if x and y have the same quantization and the full range. */
static void test_max_pooling_with_same_or_different_quantization(void **state) {
  (void)state;
  const et_cpu_output_quantization ranges[] = {
      {1 / 0.037f, X_ZERO, INT8_MIN, INT8_MAX},
      {1 / 0.037f, X_ZERO, 0, UINT8_MAX},
      {1.0009f / 0.037f, X_ZERO, 0, UINT8_MAX},
      {0.9991f / 0.037f, X_ZERO, INT8_MIN, INT8_MAX},
      {1.01f / 0.037f, X_ZERO, 0, UINT8_MAX},
      {1 / 0.037f, X_ZERO + 1, 0, UINT8_MAX},
      {1 / 0.037f, X_ZERO, 200, UINT8_MAX},
      {1 / 0.037f, X_ZERO, INT8_MIN, 100},
  };
  const et_test_axis axis = {7, 4, 3, 2, 1, 1, 1};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    const bool is_signed = ranges[i].low == INT8_MIN;
    for (int from_signed = 0; from_signed < 2; from_signed++) {
      const shape s = {2,     200, axis,        axis,      true,
                       false, 0,   from_signed, is_signed, &ranges[i]};
      check_pool(&s);
    }
  }
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis whole = {3, 1, 3, 1, 0, 0, 1};
  const shape s = {1, 4, whole, whole, false, false, 0, true, true, NULL};
  et_test_op test;
  make(&test, &s);
  test.attributes[0] = 2;
  et_test_refused(&test, "pool_qs8: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 1;
  test.attributes[13] = 128;
  et_test_refused(&test, "pool_qs8: quantized value of tensor 0 is 128");
  test.attributes[13] = 0;
  test.attributes[18] = 256;
  et_test_refused(&test, "pool_qs8: quantized value of tensor 1 is 256");
  test.attributes[18] = 127;
  test.attributes[15] = 0;
  et_test_refused(&test, "attribute 15 is not a positive number");
  test.attributes[15] = 0x3f800000;
  test.tensors[1].sizes[3] = 5;
  et_test_refused(
      &test,
      "pool_qs8: input has 1 images of 4 channels, but output has 1 of 5");
  test.tensors[1].sizes[3] = 4;
  test.attributes[1] = test.attributes[2] = 0;
  test.tensors[0].sizes[1] = test.tensors[0].sizes[2] = 3000;
  et_test_refused(&test, "images of 3000 x 3000 pixels are too large");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows_of_random_shapes),
      cmocka_unit_test(test_blocks_with_many_channels),
      cmocka_unit_test(test_max_pooling_with_same_or_different_quantization),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
