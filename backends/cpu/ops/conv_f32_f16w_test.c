#include "backends/cpu/schema/conv_f32_f16w.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/conv_f32.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define F16 ET_SCALAR_TYPE_FLOAT16
#define BF16 ET_SCALAR_TYPE_BFLOAT16

/* Checks that the results are bitwise equal to conv_f32 on the widened weights. */
static void check_bits(const et_test_conv *s, et_scalar_type dtype) {
  et_test_op narrow;
  et_test_op wide;
  et_error error = {0};
  et_test_make_convolution(&narrow, &et_cpu_op_conv_f32_f16w, dtype, s);
  et_test_make_convolution(&wide, &et_cpu_op_conv_f32, ET_SCALAR_TYPE_FLOAT32,
                           s);
  for (size_t t = 0; t < narrow.op.input_count; t++) {
    et_test_copy(&wide, t, &narrow);
  }
  assert_int_equal(et_test_check(&narrow, &error), ET_STATUS_OK);
  et_test_same_bits(&narrow, &wide);
  et_test_end(&narrow);
  et_test_end(&wide);
}

static void test_random_shapes_are_bit_identical(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    const et_test_conv s = et_test_random_convolution(false);
    check_bits(&s, i % 2 == 0 ? F16 : BF16);
  }
}

static void test_many_channels_and_pixels_are_bit_identical(void **state) {
  (void)state;
  const et_test_axis side = {3, 3, 3, 1, 1, 1, 1};
  const et_test_axis large = {15, 15, 3, 1, 1, 1, 1};
  const et_test_conv shapes[] = {
      {1, 400, 20, 1, side, side, false, true, true},
      {1, 100, 130, 1, side, side, false, true, false},
      {1, 600, 70, 2, side, side, false, false, false},
      {2, 20, 40, 1, large, large, false, true, true}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_bits(&shapes[i], F16);
    check_bits(&shapes[i], BF16);
  }
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const et_test_conv s = {1, 4, 8, 1, side, side, false, true, true};
  et_test_op test;
  et_test_make_convolution(&test, &et_cpu_op_conv_f32_f16w, BF16, &s);
  test.tensors[1].sizes[2] = 9;
  et_test_refused(&test, "conv_f32_f16w: tensor 1, dim 2 is 9, expected 36");
  test.tensors[1].sizes[2] = 36;
  test.tensors[1].dtype = ET_SCALAR_TYPE_FLOAT32;
  et_test_refused(&test, "conv_f32_f16w: tensor 1 is float32");
  test.tensors[1].dtype = BF16;
  test.op.input_count = 1;
  et_test_refused(&test, "conv_f32_f16w: 1 inputs, expected 3 to 4");
  et_test_end(&test);
  const et_test_conv planes = {1, 6, 8, 1, side, side, true, true, false};
  et_test_make_convolution(&test, &et_cpu_op_conv_f32_f16w, F16, &planes);
  et_test_refused(&test, "planar input requires float32 weights");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_shapes_are_bit_identical),
      cmocka_unit_test(test_many_channels_and_pixels_are_bit_identical),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
