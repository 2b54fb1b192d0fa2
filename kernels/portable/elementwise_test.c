#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static void test_rows_and_columns_broadcast(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_floats(t, ET_SHAPE(2, 1), (float[]){1, 2});
  et_value *b = et_test_floats(t, ET_SHAPE(3), (float[]){10, 20, 30});
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::add.out", a, b, et_test_int(t, 2), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){21, 41, 61, 22, 42, 62}, 6);
  et_test_end(t);
}

static void test_elementwise_handles_empty_and_zero_dimensional_tensors(
    void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *one = et_test_int(t, 1);
  et_value *scalar = et_test_floats(t, ET_SCALAR_SHAPE, (float[]){3});
  et_value *empty = et_test_floats(t, ET_SHAPE(0, 4), NULL);
  et_value *out = et_test_floats(t, ET_SCALAR_SHAPE, NULL);
  et_value *none = et_test_floats(t, ET_SHAPE(0, 4), NULL);
  assert_int_equal(ET_CALL(t, "aten::add.out", scalar, scalar, one, out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){6}, 1);
  assert_int_equal(ET_CALL(t, "aten::add.out", empty, scalar, one, none, none),
                   ET_STATUS_OK);
  et_test_end(t);
}

static void test_long_runs_of_converted_elements_are_correct(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  int8_t elements[200];
  float expected[200];
  for (int i = 0; i < 200; i++) {
    elements[i] = (int8_t)(i - 100);
    expected[i] = (float)(i - 100) + 0.5f;
  }
  et_value *a = et_test_tensor(t, ET_SCALAR_TYPE_INT8, ET_SHAPE(200), elements);
  et_value *b = et_test_floats(t, ET_SHAPE(1), (float[]){0.5f});
  et_value *out = et_test_floats(t, ET_SHAPE(200), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::add.out", a, b, et_test_int(t, 1), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, expected, 200);
  et_test_end(t);
}

static void test_out_shrinks_to_the_result(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_floats(t, ET_SHAPE(2), (float[]){1, 2});
  et_value *out = et_test_floats(t, ET_SHAPE(9), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::add.out", a, a, et_test_int(t, 1), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){2, 4}, 2);
  et_test_end(t);
}

static void test_invalid_operands_are_refused_before_writing(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *one = et_test_int(t, 1);
  et_value *a = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_value *b = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  et_value *i = et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(2, 3), NULL);
  et_value *u = et_test_tensor(t, ET_SCALAR_TYPE_UINT16, ET_SHAPE(2, 3), NULL);
  const float before[6] = {1, 2, 3, 4, 5, 6};
  et_value *out = et_test_floats(t, ET_SHAPE(6), before);
  et_test_assert_refused(t, ET_CALL(t, "aten::add.out", a, b, one, out, out),
                         "do not broadcast");
  et_test_assert_refused(t, ET_CALL(t, "aten::add.out", i, i, one, out, out),
                         "the result is int32, but out is float32");
  et_test_assert_refused(t, ET_CALL(t, "aten::add.out", u, a, one, out, out),
                         "dtype uint16 is not supported");
  et_test_assert_refused(
      t, ET_CALL(t, "aten::add.out", i, i, et_test_double(t, 0.5), i, i),
      "a float cannot scale int32");
  et_test_assert_floats(out, before, 6);
  et_test_end(t);
}

static void test_integer_division_by_zero_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2),
                               (int64_t[]){INT64_MIN, 7});
  et_value *b =
      et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), (int64_t[]){-1, 0});
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), NULL);
  et_test_assert_refused(t,
                         ET_CALL(t, "aten::div.out_mode", a, b,
                                 et_test_text(t, "floor"), out, out),
                         "division by zero");
  ((int64_t *)b->u.as_tensor->data)[1] = 2;
  assert_int_equal(ET_CALL(t, "aten::div.out_mode", a, b,
                           et_test_text(t, "floor"), out, out),
                   ET_STATUS_OK);
  assert_true(((int64_t *)out->u.as_tensor->data)[0] == INT64_MIN);
  et_test_end(t);
}

static void test_divisors_that_round_to_zero_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const int8_t before[2] = {7, -7};
  et_value *a = et_test_tensor(t, ET_SCALAR_TYPE_INT8, ET_SHAPE(2), before);
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT8, ET_SHAPE(2), before);
  et_value *wide = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SCALAR_SHAPE,
                                  (int64_t[]){256});
  et_test_assert_refused(
      t, ET_CALL(t, "aten::floor_divide.out", a, wide, out, out),
      "floor_divide: integer division by zero");
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::remainder.Scalar_out", a, et_test_int(t, 0), out, out),
      "remainder: integer division by zero");
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::div.Scalar_mode_out", a, et_test_bool(t, false),
              et_test_text(t, "trunc"), out, out),
      "div: integer division by zero");
  assert_memory_equal(out->u.as_tensor->data, before, sizeof(before));
  et_test_end(t);
}

static void test_scalars_repeat_over_long_runs(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(3, 67), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(3, 67), NULL);
  float expected[201];
  for (int i = 0; i < 201; i++) {
    expected[i] = et_test_data(x)[i] * 0.5f;
  }
  assert_int_equal(
      ET_CALL(t, "aten::mul.Scalar_out", x, et_test_double(t, 0.5), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, expected, 201);
  et_test_end(t);
}

static void test_clamp_keeps_nan(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(3), (float[]){NAN, -9, 9});
  et_value *out = et_test_floats(t, ET_SHAPE(3), NULL);
  assert_int_equal(ET_CALL(t, "aten::hardtanh.out", x, et_test_double(t, 0.0),
                           et_test_double(t, 6.0), out, out),
                   ET_STATUS_OK);
  assert_true(isnan(et_test_data(out)[0]));
  assert_true(et_test_data(out)[1] == 0.0f && et_test_data(out)[2] == 6.0f);
  et_test_end(t);
}

/* Dtypes in which kernels cannot compute. */
static const et_scalar_type not_computable[] = {
    ET_SCALAR_TYPE_UINT16, ET_SCALAR_TYPE_UINT32, ET_SCALAR_TYPE_UINT64};

static void test_divisors_of_unsupported_dtypes_are_refused_without_reading(
    void **state) {
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    et_test *t = et_test_begin();
    et_value *a =
        et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(2), (int32_t[]){1, 2});
    et_value *b = et_test_tensor(t, not_computable[i], ET_SHAPE(2), NULL);
    et_value *floor = et_test_text(t, "floor");
    et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(2), NULL);
    et_test_assert_refused(
        t, ET_CALL(t, "aten::div.out_mode", a, b, floor, out, out),
        "div: operand 1: dtype uint");
    et_test_assert_refused(t,
                           ET_CALL(t, "aten::floor_divide.out", a, b, out, out),
                           "floor_divide: operand 1: dtype uint");
    et_test_assert_refused(
        t, ET_CALL(t, "aten::remainder.Tensor_out", a, b, out, out),
        "remainder: operand 1: dtype uint");
    et_test_assert_refused(
        t, ET_CALL(t, "aten::remainder.Tensor_out", b, a, out, out),
        "remainder: operand 0: dtype uint");
    et_test_end(t);
  }
}

static void test_empty_tensor_is_divided_by_zero_without_error(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const et_scalar_type dtype = ET_SCALAR_TYPE_INT16;
  const int16_t zeros[6] = {0};
  et_value *a = et_test_tensor(t, dtype, ET_SHAPE(0, 2, 3), NULL);
  et_value *b = et_test_tensor(t, dtype, ET_SHAPE(2, 3), zeros);
  et_value *out = et_test_tensor(t, dtype, ET_SHAPE(0, 2, 3), NULL);
  assert_int_equal(ET_CALL(t, "aten::fmod.Tensor_out", a, b, out, out),
                   ET_STATUS_OK);
  assert_int_equal(
      ET_CALL(t, "aten::fmod.Scalar_out", a, et_test_int(t, 0), out, out),
      ET_STATUS_OK);
  et_test_end(t);
}

static void test_only_the_first_parameter_is_read(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(3), (float[]){-2, 0, 3});
  et_value *out = et_test_floats(t, ET_SHAPE(3), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::leaky_relu.out", x, et_test_double(t, 0.5), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){-1, 0, 3}, 3);
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_and_columns_broadcast),
      cmocka_unit_test(
          test_elementwise_handles_empty_and_zero_dimensional_tensors),
      cmocka_unit_test(test_long_runs_of_converted_elements_are_correct),
      cmocka_unit_test(test_out_shrinks_to_the_result),
      cmocka_unit_test(test_invalid_operands_are_refused_before_writing),
      cmocka_unit_test(test_integer_division_by_zero_is_refused),
      cmocka_unit_test(test_divisors_that_round_to_zero_are_refused),
      cmocka_unit_test(
          test_divisors_of_unsupported_dtypes_are_refused_without_reading),
      cmocka_unit_test(test_empty_tensor_is_divided_by_zero_without_error),
      cmocka_unit_test(test_only_the_first_parameter_is_read),
      cmocka_unit_test(test_scalars_repeat_over_long_runs),
      cmocka_unit_test(test_clamp_keeps_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
