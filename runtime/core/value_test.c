#include "executorch/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "executorch/kernel.h"

static void test_floats_convert_to_ints_truncated_and_saturated(void **state) {
  (void)state;
  const struct {
    double from;
    int64_t to;
  } cases[] = {{2.9, 2},           {-2.9, -2},
               {1e300, INT64_MAX}, {-1e300, INT64_MIN},
               {(double)NAN, 0},   {(double)INFINITY, INT64_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const et_value value = {ET_VALUE_DOUBLE, {.as_double = cases[i].from}};
    assert_int_equal(et_scalar_to_int(&value), cases[i].to);
  }
}

static void test_ints_and_bools_convert_to_floats(void **state) {
  (void)state;
  const et_value number = {ET_VALUE_INT, {.as_int = -3}};
  const et_value truth = {ET_VALUE_BOOL, {.as_bool = true}};
  assert_true(et_scalar_to_double(&number) == -3.0);
  assert_true(et_scalar_to_double(&truth) == 1.0);
}

static void test_packed_values_are_read_unaligned(void **state) {
  (void)state;
  uint8_t bytes[1 + 2 * sizeof(double)];
  const double numbers[2] = {1.5, -2.5};
  memcpy(bytes + 1, numbers, sizeof numbers);
  const et_value list = {ET_VALUE_DOUBLE_LIST, {.as_packed = {bytes + 1, 2}}};
  assert_true(et_double_list_at(&list, 1) == -2.5);
}

static void test_bools_convert_to_zero_and_one(void **state) {
  (void)state;
  for (int truth = 0; truth < 2; truth++) {
    const et_value value = {ET_VALUE_BOOL, {.as_bool = truth != 0}};
    assert_int_equal(et_scalar_to_int(&value), truth);
    assert_true(et_scalar_to_double(&value) == truth);
  }
}

static void test_each_dtype_has_one_kind(void **state) {
  (void)state;
  for (int32_t code = 0; code < 40; code++) {
    const et_scalar_type dtype = (et_scalar_type)code;
    const char *name = et_scalar_type_name(code);
    const bool floats = strstr(name, "float") != NULL;
    const bool ints = strstr(name, "int") != NULL;
    const bool pairs = strstr(name, "complex") != NULL;
    assert_int_equal(et_scalar_type_is_floating(dtype), floats);
    assert_int_equal(et_scalar_type_is_integral(dtype), ints);
    assert_int_equal(et_scalar_type_is_complex(dtype), pairs);
    assert_int_equal(et_scalar_type_size(code) != 0,
                     floats || ints || pairs || strcmp(name, "bool") == 0);
  }
}

static void test_tags_and_dtypes_have_names(void **state) {
  (void)state;
  assert_string_equal(et_value_tag_name(ET_VALUE_TENSOR), "Tensor");
  assert_string_equal(et_value_tag_name(99), "unknown");
  assert_string_equal(et_scalar_type_name(15), "bfloat16");
  assert_int_equal(et_scalar_type_size(8), 0);
  assert_true(et_scalar_type_is_floating(ET_SCALAR_TYPE_BFLOAT16));
  assert_false(et_scalar_type_is_integral(ET_SCALAR_TYPE_BOOL));
}

static void test_kernels_are_found_by_full_name(void **state) {
  (void)state;
  static const et_kernel rows[] = {
      {"a::add", "", NULL, NULL, NULL, 0},
      {"a::add.out", "", NULL, NULL, NULL, 0},
      {"b::mul.out", "", NULL, NULL, NULL, 0},
  };
  const et_kernel_table table = {rows, 3};
  const char *const absent[] = {"", "a", "a::add.ou", "a::add.outs", "c"};
  for (size_t i = 0; i < 3; i++) {
    const et_string name = {rows[i].name, strlen(rows[i].name)};
    assert_ptr_equal(et_kernel_table_find(&table, name), &rows[i]);
  }
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    const et_string name = {absent[i], strlen(absent[i])};
    assert_null(et_kernel_table_find(&table, name));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats_convert_to_ints_truncated_and_saturated),
      cmocka_unit_test(test_ints_and_bools_convert_to_floats),
      cmocka_unit_test(test_packed_values_are_read_unaligned),
      cmocka_unit_test(test_bools_convert_to_zero_and_one),
      cmocka_unit_test(test_each_dtype_has_one_kind),
      cmocka_unit_test(test_tags_and_dtypes_have_names),
      cmocka_unit_test(test_kernels_are_found_by_full_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
