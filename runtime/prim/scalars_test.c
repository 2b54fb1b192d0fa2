/* Tests that operators on scalars follow Python's rules, and check their
 * arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "executorch/kernel.h"
#include "executorch/value.h"
#include "runtime/testing/scalar_calls.h"

et_status et_prim_add_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sub_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_mul_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_floordiv_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_mod_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_truediv_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_neg_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_eq_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_lt_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_le_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_gt_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_ge_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_max_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_min_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_ite_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_not_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_int_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_float_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_trunc_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_ceil_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_round_scalar(et_kernel_context *context, et_value **args);

static void expect_int(et_kernel_fn kernel, int64_t a, int64_t b,
                       int64_t expected) {
  et_value out = et_test_int(0);
  assert_int_equal(et_test_call(kernel, et_test_int(a), et_test_int(b), &out),
                   ET_STATUS_OK);
  assert_int_equal(out.u.as_int, expected);
}

static void expect_double(et_kernel_fn kernel, double a, int64_t b,
                          double expected) {
  et_value out = et_test_double(0);
  assert_int_equal(
      et_test_call(kernel, et_test_double(a), et_test_int(b), &out),
      ET_STATUS_OK);
  assert_true(out.u.as_double == expected);
}

static void test_integer_arithmetic_returns_integers(void **state) {
  (void)state;
  expect_int(et_prim_add_scalar, 7, -3, 4);
  expect_int(et_prim_sub_scalar, 7, -3, 10);
  expect_int(et_prim_add_scalar, INT64_MIN, 0, INT64_MIN);
  expect_int(et_prim_add_scalar, INT64_MAX, 0, INT64_MAX);
  expect_int(et_prim_add_scalar, INT64_MIN + 1, -1, INT64_MIN);
  expect_int(et_prim_sub_scalar, INT64_MIN, 0, INT64_MIN);
  expect_int(et_prim_sub_scalar, INT64_MAX, 0, INT64_MAX);
  expect_int(et_prim_sub_scalar, INT64_MIN + 1, 1, INT64_MIN);
  expect_int(et_prim_sub_scalar, INT64_MAX - 1, -1, INT64_MAX);
  expect_int(et_prim_mul_scalar, -7, 3, -21);
  expect_int(et_prim_mul_scalar, INT64_MIN, 1, INT64_MIN);
  expect_int(et_prim_mul_scalar, INT64_MIN, 0, 0);
}

static void test_mixed_arithmetic_returns_floats(void **state) {
  (void)state;
  expect_double(et_prim_add_scalar, 1.5, 2, 3.5);
  expect_double(et_prim_sub_scalar, 1.5, 2, -0.5);
  expect_double(et_prim_mul_scalar, 1.5, 2, 3);
  expect_double(et_prim_floordiv_scalar, -7.5, 2, -4);
  expect_double(et_prim_mod_scalar, -7.5, 2, 0.5);
}

static void test_division_and_modulo_floor_like_python(void **state) {
  (void)state;
  expect_int(et_prim_floordiv_scalar, 7, 2, 3);
  expect_int(et_prim_floordiv_scalar, -7, 2, -4);
  expect_int(et_prim_floordiv_scalar, 7, -2, -4);
  expect_int(et_prim_mod_scalar, -7, 2, 1);
  expect_int(et_prim_mod_scalar, 7, -2, -1);
  expect_int(et_prim_mod_scalar, INT64_MIN, -1, 0);
}

static void test_overflow_and_division_by_zero_are_errors(void **state) {
  (void)state;
  const struct {
    et_kernel_fn kernel;
    int64_t a;
    int64_t b;
  } cases[] = {
      {et_prim_add_scalar, INT64_MAX, 1},
      {et_prim_add_scalar, INT64_MIN, -1},
      {et_prim_sub_scalar, INT64_MIN, 1},
      {et_prim_sub_scalar, 0, INT64_MIN},
      {et_prim_mul_scalar, INT64_MAX, 2},
      {et_prim_mul_scalar, INT64_MIN, -1},
      {et_prim_floordiv_scalar, INT64_MIN, -1},
      {et_prim_floordiv_scalar, 1, 0},
      {et_prim_mod_scalar, 1, 0},
      {et_prim_truediv_scalar, 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    et_value out = et_test_int(-5);
    assert_int_equal(et_test_call(cases[i].kernel, et_test_int(cases[i].a),
                                  et_test_int(cases[i].b), &out),
                     ET_STATUS_INVALID_ARGUMENT);
    assert_int_equal(out.u.as_int, -5);
  }
}

static void test_negation_follows_python(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  et_value number = et_test_int(-5);
  et_value out = et_test_int(0);
  et_value *args[2] = {&number, &out};
  assert_int_equal(et_prim_neg_scalar(&context, args), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 5);
  number = et_test_int(INT64_MIN);
  assert_int_equal(et_prim_neg_scalar(&context, args),
                   ET_STATUS_INVALID_ARGUMENT);
  number = et_test_double(1.5);
  out = et_test_double(0);
  assert_int_equal(et_prim_neg_scalar(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_double == -1.5);
}

static void test_result_keeps_its_values_kind(void **state) {
  (void)state;
  et_value truth = et_test_bool(false);
  et_value number = et_test_int(0);
  assert_int_equal(
      et_test_call(et_prim_add_scalar, et_test_int(1), et_test_int(2), &truth),
      ET_STATUS_INVALID_TYPE);
  assert_int_equal(et_test_call(et_prim_add_scalar, et_test_double(1),
                                et_test_int(2), &number),
                   ET_STATUS_INVALID_TYPE);
  assert_int_equal(
      et_test_call(et_prim_eq_scalar, et_test_int(1), et_test_int(2), &number),
      ET_STATUS_INVALID_TYPE);
}

static void test_comparisons_distinguish_less_equal_and_greater(void **state) {
  (void)state;
  const struct {
    et_kernel_fn kernel;
    bool less;
    bool equal;
    bool more;
  } rows[] = {
      {et_prim_eq_scalar, false, true, false},
      {et_prim_lt_scalar, true, false, false},
      {et_prim_le_scalar, true, true, false},
      {et_prim_gt_scalar, false, false, true},
      {et_prim_ge_scalar, false, true, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const bool expected[3] = {rows[i].less, rows[i].equal, rows[i].more};
    for (int64_t a = 1; a <= 3; a++) {
      et_value out = et_test_bool(false);
      et_test_call(rows[i].kernel, et_test_int(a), et_test_int(2), &out);
      assert_int_equal(out.u.as_bool, expected[a - 1]);
      et_test_call(rows[i].kernel, et_test_double((double)a), et_test_int(2),
                   &out);
      assert_int_equal(out.u.as_bool, expected[a - 1]);
    }
  }
}

static void test_integers_are_compared_exactly(void **state) {
  (void)state;
  const int64_t large = INT64_C(9007199254740993); /* 2^53 + 1 */
  et_value out = et_test_bool(true);
  et_test_call(et_prim_eq_scalar, et_test_int(large), et_test_int(large - 1),
               &out);
  assert_false(out.u.as_bool);
  et_test_call(et_prim_lt_scalar, et_test_int(large - 1), et_test_int(large),
               &out);
  assert_true(out.u.as_bool);
}

static void test_nan_compares_as_false(void **state) {
  (void)state;
  et_value out = et_test_bool(true);
  et_test_call(et_prim_ge_scalar, et_test_double((double)NAN), et_test_int(0),
               &out);
  assert_false(out.u.as_bool);
}

/* As Python's max and min. */
static void test_choice_of_equal_operands_is_the_first(void **state) {
  (void)state;
  const et_kernel_fn kernels[] = {et_prim_sym_max_scalar,
                                  et_prim_sym_min_scalar};
  for (size_t i = 0; i < 2; i++) {
    et_value out = et_test_double(1);
    et_test_call(kernels[i], et_test_double(-0.0), et_test_double(0), &out);
    assert_true(signbit(out.u.as_double));
    et_test_call(kernels[i], et_test_double(0), et_test_double(-0.0), &out);
    assert_false(signbit(out.u.as_double));
  }
}

static void test_choice_returns_one_of_its_operands(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  expect_int(et_prim_sym_max_scalar, 3, 9, 9);
  expect_int(et_prim_sym_min_scalar, 3, 9, 3);
  expect_int(et_prim_sym_max_scalar, 9, 3, 9);
  expect_int(et_prim_sym_min_scalar, 9, 3, 3);
  et_value condition = et_test_bool(false);
  et_value a = et_test_int(5);
  et_value b = et_test_int(6);
  et_value out = et_test_int(0);
  et_value *args[4] = {&condition, &a, &b, &out};
  assert_int_equal(et_prim_sym_ite_scalar(&context, args), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 6);
  condition = et_test_bool(true);
  assert_int_equal(et_prim_sym_ite_scalar(&context, args), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 5);
  condition = et_test_bool(false);
  et_value *negation[2] = {&condition, &condition};
  assert_int_equal(et_prim_sym_not_scalar(&context, negation), ET_STATUS_OK);
  assert_true(condition.u.as_bool);
}

static void test_choice_of_bools_is_bool(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const bool a = i / 2 == 1;
    const bool b = i % 2 == 1;
    et_value out = et_test_bool(!(a || b));
    assert_int_equal(et_test_call(et_prim_sym_max_scalar, et_test_bool(a),
                                  et_test_bool(b), &out),
                     ET_STATUS_OK);
    assert_int_equal(out.u.as_bool, a || b);
    assert_int_equal(et_test_call(et_prim_sym_min_scalar, et_test_bool(a),
                                  et_test_bool(b), &out),
                     ET_STATUS_OK);
    assert_int_equal(out.u.as_bool, a && b);
    et_value number = et_test_int(7);
    et_test_call(et_prim_sym_max_scalar, et_test_bool(a), et_test_int(0),
                 &number);
    assert_int_equal(number.u.as_int, a);
  }
}

static int64_t rounded(et_kernel_fn kernel, double number) {
  et_kernel_context context = {.error = NULL};
  et_value from = et_test_double(number);
  et_value out = et_test_int(0);
  et_value *args[2] = {&from, &out};
  assert_int_equal(kernel(&context, args), ET_STATUS_OK);
  return out.u.as_int;
}

static void test_floats_round_to_integers(void **state) {
  (void)state;
  assert_int_equal(rounded(et_prim_ceil_scalar, 1.1), 2);
  assert_int_equal(rounded(et_prim_sym_int_scalar, -1.9), -1);
  assert_int_equal(rounded(et_prim_round_scalar, 2.5), 2);
  assert_int_equal(rounded(et_prim_round_scalar, 3.5), 4);
  assert_int_equal(rounded(et_prim_trunc_scalar, (double)INT64_MIN), INT64_MIN);
}

static void test_integers_are_not_rounded(void **state) {
  (void)state;
  const et_kernel_fn kernels[] = {et_prim_ceil_scalar, et_prim_round_scalar,
                                  et_prim_sym_int_scalar, et_prim_trunc_scalar};
  et_kernel_context context = {.error = NULL};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    et_value from = et_test_int(((int64_t)1 << 53) + 1); /* not a double */
    et_value out = et_test_int(0);
    et_value *args[3] = {&from, &out, NULL};
    assert_int_equal(kernels[i](&context, args), ET_STATUS_OK);
    assert_int_equal(out.u.as_int, from.u.as_int);
  }
}

static void test_integers_convert_to_floats(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  et_value from = et_test_int(-3);
  et_value out = et_test_double(0);
  et_value *args[3] = {&from, &out, NULL};
  assert_int_equal(et_prim_sym_float_scalar(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_double == -3);
}

static void test_floats_outside_the_integer_range_are_errors(void **state) {
  (void)state;
  const double numbers[] = {(double)NAN, (double)INFINITY, 1e19, -1e19};
  et_kernel_context context = {.error = NULL};
  for (size_t i = 0; i < 4; i++) {
    et_value from = et_test_double(numbers[i]);
    et_value out = et_test_int(0);
    et_value *args[2] = {&from, &out};
    assert_int_equal(et_prim_ceil_scalar(&context, args),
                     ET_STATUS_INVALID_ARGUMENT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_arithmetic_returns_integers),
      cmocka_unit_test(test_mixed_arithmetic_returns_floats),
      cmocka_unit_test(test_division_and_modulo_floor_like_python),
      cmocka_unit_test(test_overflow_and_division_by_zero_are_errors),
      cmocka_unit_test(test_negation_follows_python),
      cmocka_unit_test(test_result_keeps_its_values_kind),
      cmocka_unit_test(test_comparisons_distinguish_less_equal_and_greater),
      cmocka_unit_test(test_integers_are_compared_exactly),
      cmocka_unit_test(test_nan_compares_as_false),
      cmocka_unit_test(test_choice_of_equal_operands_is_the_first),
      cmocka_unit_test(test_choice_returns_one_of_its_operands),
      cmocka_unit_test(test_choice_of_bools_is_bool),
      cmocka_unit_test(test_floats_round_to_integers),
      cmocka_unit_test(test_integers_are_not_rounded),
      cmocka_unit_test(test_integers_convert_to_floats),
      cmocka_unit_test(test_floats_outside_the_integer_range_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
