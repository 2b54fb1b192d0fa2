/* Tests that operators on sizes follow Python's rules and check their
 * arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "executorch/kernel.h"
#include "executorch/value.h"

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
et_status et_prim_ceil_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_round_scalar(et_kernel_context *context, et_value **args);
et_status et_prim_sym_size_int(et_kernel_context *context, et_value **args);
et_status et_prim_sym_numel(et_kernel_context *context, et_value **args);
et_status et_prim_local_scalar_dense(et_kernel_context *context,
                                     et_value **args);
et_status et_prim_et_view(et_kernel_context *context, et_value **args);
et_status et_prim_et_copy_index(et_kernel_context *context, et_value **args);

static et_value int_value(int64_t number) {
  const et_value value = {ET_VALUE_INT, {.as_int = number}};
  return value;
}

static et_value double_value(double number) {
  const et_value value = {ET_VALUE_DOUBLE, {.as_double = number}};
  return value;
}

static et_value bool_value(bool truth) {
  const et_value value = {ET_VALUE_BOOL, {.as_bool = truth}};
  return value;
}

/* Calls a kernel with two operands and an out. *out is both argument and
 * result. */
static et_status run(et_kernel_fn kernel, et_value a, et_value b,
                     et_value *out) {
  et_kernel_context context = {.error = NULL};
  et_value *args[3] = {&a, &b, out};
  return kernel(&context, args);
}

static void expect_int(et_kernel_fn kernel, int64_t a, int64_t b,
                       int64_t expected) {
  et_value out = int_value(0);
  assert_int_equal(run(kernel, int_value(a), int_value(b), &out), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, expected);
}

static void expect_double(et_kernel_fn kernel, double a, int64_t b,
                          double expected) {
  et_value out = double_value(0);
  assert_int_equal(run(kernel, double_value(a), int_value(b), &out),
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

static void test_m22_overflow_and_division_by_zero_are_errors(void **state) {
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
    et_value out = int_value(-5);
    assert_int_equal(run(cases[i].kernel, int_value(cases[i].a),
                         int_value(cases[i].b), &out),
                     ET_STATUS_INVALID_ARGUMENT);
    assert_int_equal(out.u.as_int, -5);
  }
}

static void test_negation_follows_python(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  et_value number = int_value(-5);
  et_value out = int_value(0);
  et_value *args[2] = {&number, &out};
  assert_int_equal(et_prim_neg_scalar(&context, args), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 5);
  number = int_value(INT64_MIN);
  assert_int_equal(et_prim_neg_scalar(&context, args),
                   ET_STATUS_INVALID_ARGUMENT);
  number = double_value(1.5);
  out = double_value(0);
  assert_int_equal(et_prim_neg_scalar(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_double == -1.5);
}

static void test_m20_result_keeps_its_values_kind(void **state) {
  (void)state;
  et_value truth = bool_value(false);
  et_value number = int_value(0);
  assert_int_equal(run(et_prim_add_scalar, int_value(1), int_value(2), &truth),
                   ET_STATUS_INVALID_TYPE);
  assert_int_equal(
      run(et_prim_add_scalar, double_value(1), int_value(2), &number),
      ET_STATUS_INVALID_TYPE);
  assert_int_equal(run(et_prim_eq_scalar, int_value(1), int_value(2), &number),
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
      et_value out = bool_value(false);
      run(rows[i].kernel, int_value(a), int_value(2), &out);
      assert_int_equal(out.u.as_bool, expected[a - 1]);
      run(rows[i].kernel, double_value((double)a), int_value(2), &out);
      assert_int_equal(out.u.as_bool, expected[a - 1]);
    }
  }
}

static void test_integers_are_compared_exactly(void **state) {
  (void)state;
  const int64_t large = INT64_C(9007199254740993); /* 2^53 + 1 */
  et_value out = bool_value(true);
  run(et_prim_eq_scalar, int_value(large), int_value(large - 1), &out);
  assert_false(out.u.as_bool);
  run(et_prim_lt_scalar, int_value(large - 1), int_value(large), &out);
  assert_true(out.u.as_bool);
}

static void test_nan_compares_as_false(void **state) {
  (void)state;
  et_value out = bool_value(true);
  run(et_prim_ge_scalar, double_value((double)NAN), int_value(0), &out);
  assert_false(out.u.as_bool);
}

static void test_choice_returns_one_of_its_operands(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  expect_int(et_prim_sym_max_scalar, 3, 9, 9);
  expect_int(et_prim_sym_min_scalar, 3, 9, 3);
  expect_int(et_prim_sym_max_scalar, 9, 3, 9);
  expect_int(et_prim_sym_min_scalar, 9, 3, 3);
  et_value condition = bool_value(false);
  et_value a = int_value(5);
  et_value b = int_value(6);
  et_value out = int_value(0);
  et_value *args[4] = {&condition, &a, &b, &out};
  assert_int_equal(et_prim_sym_ite_scalar(&context, args), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 6);
  condition = bool_value(true);
  assert_int_equal(et_prim_sym_ite_scalar(&context, args), ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 5);
  condition = bool_value(false);
  et_value *negation[2] = {&condition, &condition};
  assert_int_equal(et_prim_sym_not_scalar(&context, negation), ET_STATUS_OK);
  assert_true(condition.u.as_bool);
}

static void test_choice_of_bools_is_bool(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const bool a = i / 2 == 1;
    const bool b = i % 2 == 1;
    et_value out = bool_value(!(a || b));
    assert_int_equal(
        run(et_prim_sym_max_scalar, bool_value(a), bool_value(b), &out),
        ET_STATUS_OK);
    assert_int_equal(out.u.as_bool, a || b);
    assert_int_equal(
        run(et_prim_sym_min_scalar, bool_value(a), bool_value(b), &out),
        ET_STATUS_OK);
    assert_int_equal(out.u.as_bool, a && b);
    et_value number = int_value(7);
    run(et_prim_sym_max_scalar, bool_value(a), int_value(0), &number);
    assert_int_equal(number.u.as_int, a);
  }
}

static int64_t rounded(et_kernel_fn kernel, double number) {
  et_kernel_context context = {.error = NULL};
  et_value from = double_value(number);
  et_value out = int_value(0);
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
}

static void test_floats_outside_the_integer_range_are_errors(void **state) {
  (void)state;
  const double numbers[] = {(double)NAN, (double)INFINITY, 1e19, -1e19};
  et_kernel_context context = {.error = NULL};
  for (size_t i = 0; i < 4; i++) {
    et_value from = double_value(numbers[i]);
    et_value out = int_value(0);
    et_value *args[2] = {&from, &out};
    assert_int_equal(et_prim_ceil_scalar(&context, args),
                     ET_STATUS_INVALID_ARGUMENT);
  }
}

/* A tensor of 2 x 3 floats. The upper bound of a dynamic one is 4 x 3. */
typedef struct sample {
  float data[12];
  int32_t sizes[ET_MAX_RANK];
  int32_t strides[ET_MAX_RANK];
  et_tensor tensor;
  et_value value;
} sample;

static const uint8_t ORDER[3] = {0, 1, 2};

static void make_sample(sample *s, uint8_t rank, const int32_t *sizes,
                        uint8_t dynamism) {
  memset(s, 0, sizeof *s);
  memcpy(s->sizes, sizes, rank * sizeof *sizes);
  s->tensor.data = s->data;
  s->tensor.capacity = sizeof s->data;
  s->tensor.sizes = s->sizes;
  s->tensor.strides = s->strides;
  s->tensor.dim_order = ORDER;
  s->tensor.dtype = ET_SCALAR_TYPE_FLOAT32;
  s->tensor.rank = rank;
  s->tensor.dynamism = dynamism;
  et_tensor_layout(s->sizes, ORDER, rank, s->strides, &s->tensor.numel, NULL);
  s->value.tag = ET_VALUE_TENSOR;
  s->value.u.as_tensor = &s->tensor;
}

static const int32_t TWO_BY_THREE[2] = {2, 3};

static void test_size_and_numel_are_read(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  sample s;
  make_sample(&s, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  et_value out = int_value(0);
  assert_int_equal(run(et_prim_sym_size_int, s.value, int_value(1), &out),
                   ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 3);
  run(et_prim_sym_size_int, s.value, int_value(-2), &out);
  assert_int_equal(out.u.as_int, 2);
  et_value *args[2] = {&s.value, &out};
  et_prim_sym_numel(&context, args);
  assert_int_equal(out.u.as_int, 6);
}

static void test_m22_dim_out_of_range_is_an_error(void **state) {
  (void)state;
  const int64_t dims[] = {2, -3, INT64_MAX, INT64_MIN};
  sample s;
  make_sample(&s, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  for (size_t i = 0; i < 4; i++) {
    et_value out = int_value(0);
    assert_int_equal(
        run(et_prim_sym_size_int, s.value, int_value(dims[i]), &out),
        ET_STATUS_INVALID_ARGUMENT);
  }
}

static void test_single_element_converts_to_a_scalar(void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  const int32_t one = 1;
  sample s;
  make_sample(&s, 1, &one, ET_SHAPE_STATIC);
  s.data[0] = 2.5F;
  et_value out = double_value(0);
  et_value *args[2] = {&s.value, &out};
  assert_int_equal(et_prim_local_scalar_dense(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_double == 2.5);
  make_sample(&s, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  assert_int_equal(et_prim_local_scalar_dense(&context, args),
                   ET_STATUS_INVALID_ARGUMENT);
}

static void test_single_element_of_each_dtype_converts_to_a_scalar(
    void **state) {
  (void)state;
  et_kernel_context context = {.error = NULL};
  const uint8_t minus_two[8] = {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  const double half = 0.5;
  const int32_t one = 1;
  const struct {
    et_scalar_type dtype;
    int64_t expected;
  } ints[] = {
      {ET_SCALAR_TYPE_UINT8, 254}, {ET_SCALAR_TYPE_INT8, -2},
      {ET_SCALAR_TYPE_INT16, -2},  {ET_SCALAR_TYPE_INT32, -2},
      {ET_SCALAR_TYPE_INT64, -2},
  };
  sample s;
  make_sample(&s, 1, &one, ET_SHAPE_STATIC);
  memcpy(s.data, minus_two, sizeof minus_two);
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
    et_value out = int_value(0);
    et_value *args[2] = {&s.value, &out};
    s.tensor.dtype = ints[i].dtype;
    assert_int_equal(et_prim_local_scalar_dense(&context, args), ET_STATUS_OK);
    assert_int_equal(out.u.as_int, ints[i].expected);
  }
  et_value out = bool_value(false);
  et_value *args[2] = {&s.value, &out};
  s.tensor.dtype = ET_SCALAR_TYPE_BOOL;
  assert_int_equal(et_prim_local_scalar_dense(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_bool);
  memcpy(s.data, &half, sizeof half);
  s.tensor.dtype = ET_SCALAR_TYPE_FLOAT64;
  out = double_value(0);
  assert_int_equal(et_prim_local_scalar_dense(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_double == 0.5);
  s.tensor.dtype = ET_SCALAR_TYPE_FLOAT16;
  assert_int_equal(et_prim_local_scalar_dense(&context, args),
                   ET_STATUS_NOT_SUPPORTED);
}

static et_status view_as(const int64_t *sizes, size_t rank, uint8_t out_rank,
                         sample *out) {
  sample self;
  et_value numbers[ET_MAX_RANK + 2];
  et_value *items[ET_MAX_RANK + 2];
  const int32_t ones[3] = {1, 1, 1};
  make_sample(&self, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  make_sample(out, out_rank, ones, ET_SHAPE_DYNAMIC_BOUND);
  for (size_t i = 0; i < rank; i++) {
    numbers[i] = int_value(sizes[i]);
    items[i] = &numbers[i];
  }
  const et_value list = {ET_VALUE_INT_LIST, {.as_list = {items, rank}}};
  return run(et_prim_et_view, self.value, list, &out->value);
}

static void test_view_infers_one_dimension(void **state) {
  (void)state;
  sample out;
  const int64_t inferred[3] = {1, -1, 2};
  assert_int_equal(view_as(inferred, 3, 3, &out), ET_STATUS_OK);
  assert_int_equal(out.sizes[0], 1);
  assert_int_equal(out.sizes[1], 3);
  assert_int_equal(out.sizes[2], 2);
  assert_int_equal(out.tensor.numel, 6);
}

static void test_m22_mismatched_views_are_errors(void **state) {
  (void)state;
  sample out;
  const int64_t wrong[][2] = {{2, 2},  {-1, -1}, {-2, 3},
                              {-1, 4}, {0, -1},  {INT64_MAX, INT64_MAX}};
  const int64_t many[ET_MAX_RANK + 1] = {1};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(view_as(wrong[i], 2, 2, &out), ET_STATUS_INVALID_ARGUMENT);
  }
  assert_int_equal(view_as(many, ET_MAX_RANK + 1, 2, &out),
                   ET_STATUS_INVALID_ARGUMENT);
}

static void test_m22_empty_views_have_valid_sizes(void **state) {
  (void)state;
  const int32_t none[2] = {0, 3};
  const int64_t wrong[][2] = {{0, -2}, {0, (int64_t)1 << 32}};
  sample self;
  sample out;
  make_sample(&self, 2, none, ET_SHAPE_STATIC);
  make_sample(&out, 2, none, ET_SHAPE_DYNAMIC_BOUND);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    et_value numbers[2] = {int_value(wrong[i][0]), int_value(wrong[i][1])};
    et_value *items[2] = {&numbers[0], &numbers[1]};
    const et_value list = {ET_VALUE_INT_LIST, {.as_list = {items, 2}}};
    assert_int_equal(run(et_prim_et_view, self.value, list, &out.value),
                     ET_STATUS_INVALID_ARGUMENT);
  }
}

static et_status copy_index(sample *to, sample *from, int64_t index) {
  et_kernel_context context = {.error = NULL};
  et_value number = int_value(index);
  et_value *args[3] = {&to->value, &from->value, &number};
  return et_prim_et_copy_index(&context, args);
}

static void test_copy_index_extends_its_target_row_by_row(void **state) {
  (void)state;
  sample to;
  sample from;
  make_sample(&to, 2, TWO_BY_THREE, ET_SHAPE_DYNAMIC_BOUND);
  make_sample(&from, 1, TWO_BY_THREE + 1, ET_SHAPE_STATIC);
  for (int64_t row = 0; row < 4; row++) {
    from.data[2] = (float)row;
    assert_int_equal(copy_index(&to, &from, row), ET_STATUS_OK);
    assert_int_equal(to.sizes[0], row + 1);
    assert_true(to.data[3 * row + 2] == (float)row);
  }
}

static void test_copy_index_beyond_the_target_states_its_rows(void **state) {
  (void)state;
  et_error error;
  sample to;
  sample from;
  make_sample(&to, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  make_sample(&from, 1, TWO_BY_THREE + 1, ET_SHAPE_STATIC);
  et_error_clear(&error);
  et_kernel_context context = {.error = &error};
  et_value number = int_value(2);
  et_value *args[3] = {&to.value, &from.value, &number};
  assert_int_equal(et_prim_et_copy_index(&context, args),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message, "index 2 is out of range for 2 rows");
}

/* CVE-2025-54949: an index beyond the target's memory. */
static void test_m22_copy_index_beyond_the_target_is_an_error(void **state) {
  (void)state;
  const int64_t wild[] = {4, -1, INT32_MAX, INT64_MAX, INT64_MIN};
  sample to;
  sample from;
  make_sample(&from, 1, TWO_BY_THREE + 1, ET_SHAPE_STATIC);
  for (size_t i = 0; i < 5; i++) {
    make_sample(&to, 2, TWO_BY_THREE, ET_SHAPE_DYNAMIC_BOUND);
    assert_int_equal(copy_index(&to, &from, wild[i]),
                     ET_STATUS_INVALID_ARGUMENT);
    make_sample(&to, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
    assert_int_equal(copy_index(&to, &from, wild[i]),
                     ET_STATUS_INVALID_ARGUMENT);
  }
}

static void test_m22_copy_index_of_a_mismatched_shape_is_an_error(
    void **state) {
  (void)state;
  sample to;
  sample from;
  make_sample(&to, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  make_sample(&from, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  assert_int_equal(copy_index(&to, &from, 0), ET_STATUS_INVALID_ARGUMENT);
  make_sample(&from, 1, TWO_BY_THREE, ET_SHAPE_STATIC); /* 2 elements */
  assert_int_not_equal(copy_index(&to, &from, 0), ET_STATUS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_arithmetic_returns_integers),
      cmocka_unit_test(test_mixed_arithmetic_returns_floats),
      cmocka_unit_test(test_division_and_modulo_floor_like_python),
      cmocka_unit_test(test_m22_overflow_and_division_by_zero_are_errors),
      cmocka_unit_test(test_negation_follows_python),
      cmocka_unit_test(test_m20_result_keeps_its_values_kind),
      cmocka_unit_test(test_comparisons_distinguish_less_equal_and_greater),
      cmocka_unit_test(test_integers_are_compared_exactly),
      cmocka_unit_test(test_nan_compares_as_false),
      cmocka_unit_test(test_choice_returns_one_of_its_operands),
      cmocka_unit_test(test_choice_of_bools_is_bool),
      cmocka_unit_test(test_floats_round_to_integers),
      cmocka_unit_test(test_floats_outside_the_integer_range_are_errors),
      cmocka_unit_test(test_size_and_numel_are_read),
      cmocka_unit_test(test_m22_dim_out_of_range_is_an_error),
      cmocka_unit_test(test_single_element_converts_to_a_scalar),
      cmocka_unit_test(test_single_element_of_each_dtype_converts_to_a_scalar),
      cmocka_unit_test(test_view_infers_one_dimension),
      cmocka_unit_test(test_m22_mismatched_views_are_errors),
      cmocka_unit_test(test_m22_empty_views_have_valid_sizes),
      cmocka_unit_test(test_copy_index_extends_its_target_row_by_row),
      cmocka_unit_test(test_copy_index_beyond_the_target_states_its_rows),
      cmocka_unit_test(test_m22_copy_index_beyond_the_target_is_an_error),
      cmocka_unit_test(test_m22_copy_index_of_a_mismatched_shape_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
