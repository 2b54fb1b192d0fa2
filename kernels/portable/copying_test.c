#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static const float kElements[6] = {1, 2, 3, 4, 5, 6};

static void test_permutation_moves_elements(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(3, 2), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::permute_copy.out", x, ET_INTS(t, 1, -2), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1, 4, 2, 5, 3, 6}, 6);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::permute_copy.out", x, ET_INTS(t, 1, 1), out, out),
      "is repeated");
  et_test_end(t);
}

static void test_copy_accepts_its_source_as_self(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  assert_int_equal(ET_CALL(t, "aten::copy_", x, x, et_test_bool(t, false), x),
                   ET_STATUS_OK);
  et_test_assert_floats(x, kElements, 6);
  et_test_end(t);
}

static void test_slices_are_clipped(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_value *axis = et_test_int(t, 1);
  assert_int_equal(ET_CALL(t, "aten::slice_copy.Tensor_out", x, axis,
                           et_test_int(t, INT64_MIN), et_test_int(t, INT64_MAX),
                           et_test_int(t, INT64_MAX), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1, 4}, 2);
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::slice_copy.Tensor_out", x, axis, et_test_none(t),
              et_test_none(t), et_test_int(t, 0), out, out),
      "step 0");
  et_test_end(t);
}

static void test_selected_index_out_of_range_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(3), NULL);
  static const int64_t wrong[] = {2, -3, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    et_test_assert_refused(
        t,
        ET_CALL(t, "aten::select_copy.int_out", x, et_test_int(t, 0),
                et_test_int(t, wrong[i]), out, out),
        "is out of range for size 2");
  }
  et_test_end(t);
}

static void test_invalid_sizes_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::view_copy.out", x, ET_INTS(t, 4, -1), out, out),
      "are not divisible");
  et_test_assert_refused(
      t, ET_CALL(t, "aten::view_copy.out", x, ET_INTS(t, INT64_MAX), out, out),
      "is not in");
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::constant_pad_nd.out", x, ET_INTS(t, -9, 0),
              et_test_int(t, 0), out, out),
      "size -6");
  et_test_end(t);
}

static void test_cat_checks_every_tensor(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *tensors[2] = {et_test_floats(t, ET_SHAPE(1, 3), kElements),
                          et_test_floats(t, ET_SHAPE(2, 2), kElements)};
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::cat.out",
              et_test_list(t, ET_VALUE_TENSOR_LIST, tensors, 2),
              et_test_int(t, 0), out, out),
      "sizes 3 and 2 differ");
  tensors[1] = tensors[0];
  assert_int_equal(ET_CALL(t, "aten::cat.out",
                           et_test_list(t, ET_VALUE_TENSOR_LIST, tensors, 2),
                           et_test_int(t, 0), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1, 2, 3, 1, 2, 3}, 6);
  et_test_end(t);
}

static void test_cat_of_empty_lines_is_empty(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *tensors[2] = {et_test_floats(t, ET_SHAPE(0), NULL),
                          et_test_floats(t, ET_SHAPE(0), NULL)};
  et_value *out = et_test_floats(t, ET_SHAPE(2), NULL);
  assert_int_equal(ET_CALL(t, "aten::cat.out",
                           et_test_list(t, ET_VALUE_TENSOR_LIST, tensors, 2),
                           et_test_int(t, 0), out, out),
                   ET_STATUS_OK);
  assert_int_equal(out->u.as_tensor->numel, 0);
  et_test_end(t);
}

static void test_stack_along_an_invalid_dim_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *tensors[1] = {x};
  et_value *list = et_test_list(t, ET_VALUE_TENSOR_LIST, tensors, 1);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3, 1), NULL);
  static const int64_t wrong[] = {3, -4, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    et_test_assert_refused(
        t,
        ET_CALL(t, "aten::stack.out", list, et_test_int(t, wrong[i]), out, out),
        "stack");
  }
  assert_int_equal(
      ET_CALL(t, "aten::stack.out", list, et_test_int(t, -1), out, out),
      ET_STATUS_OK);
  et_test_end(t);
}

static void test_boolean_arange_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_BOOL, ET_SHAPE(2), NULL);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::arange.out", et_test_int(t, 2), out, out),
      "arange: dtype bool is not supported");
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_permutation_moves_elements),
      cmocka_unit_test(test_copy_accepts_its_source_as_self),
      cmocka_unit_test(test_slices_are_clipped),
      cmocka_unit_test(test_selected_index_out_of_range_is_refused),
      cmocka_unit_test(test_invalid_sizes_are_refused),
      cmocka_unit_test(test_cat_checks_every_tensor),
      cmocka_unit_test(test_cat_of_empty_lines_is_empty),
      cmocka_unit_test(test_stack_along_an_invalid_dim_is_refused),
      cmocka_unit_test(test_boolean_arange_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
