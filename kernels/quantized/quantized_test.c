#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static et_status quantize(et_test *t, et_value *x, double scale,
                          int64_t zero_point, int64_t low, int64_t high,
                          et_value *out) {
  return ET_CALL(t, "quantized_decomposed::quantize_per_tensor.out", x,
                 et_test_double(t, scale), et_test_int(t, zero_point),
                 et_test_int(t, low), et_test_int(t, high),
                 et_test_int(t, ET_SCALAR_TYPE_INT8), out, out);
}

static void test_quantize_rounds_half_to_even_and_clamps(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const float in[7] = {0.5f, 1.5f, -0.5f, 1e30f, -INFINITY, NAN, 3.0f};
  et_value *x = et_test_floats(t, ET_SHAPE(7), in);
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT8, ET_SHAPE(7), NULL);
  assert_int_equal(quantize(t, x, 1.0, 10, -100, 100, out), ET_STATUS_OK);
  const int8_t expected[7] = {10, 12, 10, 100, -100, 10, 13};
  assert_memory_equal(out->u.as_tensor->data, expected, sizeof(expected));
  et_test_end(t);
}

static void test_invalid_quantization_parameters_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(2), 1);
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT8, ET_SHAPE(2), NULL);
  static const double scales[] = {0.0, -1.0, NAN, INFINITY, 1e-300, 1e300};
  for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
    et_test_assert_refused(t, quantize(t, x, scales[i], 0, -128, 127, out),
                           "scale is not a positive number");
  }
  et_test_assert_refused(t, quantize(t, x, 1.0, 128, -128, 127, out),
                         "zero_point 128");
  et_test_assert_refused(t, quantize(t, x, 1.0, INT64_MIN, -128, 127, out),
                         "zero_point");
  et_test_assert_refused(t, quantize(t, x, 1.0, 0, 1, 0, out), "do not fit");
  et_test_assert_refused(t, quantize(t, x, 1.0, 0, -128, INT64_MAX, out),
                         "do not fit");
  et_test_end(t);
}

static void test_each_channel_has_its_scale(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_tensor(t, ET_SCALAR_TYPE_INT8, ET_SHAPE(2, 2),
                               (int8_t[]){1, 2, -3, 4});
  et_value *scales = et_test_floats(t, ET_SHAPE(2), (float[]){0.5f, 2.0f});
  et_value *points =
      et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), (int64_t[]){1, 0});
  et_value *out = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  assert_int_equal(
      ET_CALL(t, "quantized_decomposed::dequantize_per_channel.out", x, scales,
              points, et_test_int(t, 1), et_test_int(t, -128),
              et_test_int(t, 127), et_test_int(t, ET_SCALAR_TYPE_INT8),
              et_test_none(t), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){0, 4, -2, 8}, 4);
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantize_rounds_half_to_even_and_clamps),
      cmocka_unit_test(test_invalid_quantization_parameters_are_refused),
      cmocka_unit_test(test_each_channel_has_its_scale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
