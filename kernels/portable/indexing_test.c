#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static const float kElements[6] = {1, 2, 3, 4, 5, 6};

static et_value *indices(et_test *t, int64_t first, int64_t second) {
  return et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2),
                        (int64_t[]){first, second});
}

/* Returns [index], or [None, index] if `second` is true. */
static et_value *list(et_test *t, et_value *index, bool second) {
  et_value *items[2] = {second ? NULL : index, index};
  return et_test_list(t, ET_VALUE_OPTIONAL_TENSOR_LIST, items, second ? 2 : 1);
}

static void test_columns_are_gathered(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  assert_int_equal(ET_CALL(t, "aten::index.Tensor_out", x,
                           list(t, indices(t, -1, 0), true), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){3, 1, 6, 4}, 4);
  et_test_end(t);
}

static void test_index_put_writes_rows(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_value *values = et_test_floats(t, ET_SHAPE(1), (float[]){10});
  assert_int_equal(
      ET_CALL(t, "aten::index_put.out", x, list(t, indices(t, 1, 1), false),
              values, et_test_bool(t, true), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1, 2, 3, 24, 25, 26}, 6);
  et_test_end(t);
}

static void test_indices_in_data_are_checked_before_writing(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *one = et_test_floats(t, ET_SHAPE(1), (float[]){9});
  et_value *no = et_test_bool(t, false);
  static const int64_t wrong[] = {2, -3, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    et_value *index = indices(t, 0, wrong[i]);
    et_test_assert_refused(t,
                           ET_CALL(t, "aten::index.Tensor_out", x,
                                   list(t, index, false), out, out),
                           "is not in [-2, 2)");
    et_test_assert_refused(t,
                           ET_CALL(t, "aten::index_put_", out,
                                   list(t, index, false), one, no, out),
                           "is not in [-2, 2)");
    et_test_assert_refused(t,
                           ET_CALL(t, "aten::embedding.out", x, index,
                                   et_test_int(t, -1), no, no, out, out),
                           "is not in [0, 2)");
  }
  et_test_assert_floats(out, kElements, 6);
  et_test_end(t);
}

static void test_nonzero_follows_the_data(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 2), (float[]){0, 0.25f, 0, -1});
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(4, 2), NULL);
  assert_int_equal(ET_CALL(t, "aten::nonzero.out", x, out, out), ET_STATUS_OK);
  const int64_t expected[4] = {0, 1, 1, 1};
  assert_int_equal(out->u.as_tensor->sizes[0], 2);
  assert_memory_equal(out->u.as_tensor->data, expected, sizeof(expected));
  et_test_end(t);
}

static void test_upsampling_to_an_empty_size_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(1, 1, 2, 2), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 1, 2, 2), NULL);
  static const int64_t wrong[] = {0, -1, INT64_MAX};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    et_test_assert_refused(
        t,
        ET_CALL(t, "aten::upsample_nearest2d.vec_out", x,
                ET_INTS(t, 2, wrong[i]), et_test_none(t), out, out),
        "is not in");
  }
  assert_int_not_equal(
      ET_CALL(t, "aten::upsample_nearest2d.vec_out", x,
              ET_INTS(t, INT32_MAX, INT32_MAX), et_test_none(t), out, out),
      ET_STATUS_OK);
  et_test_end(t);
}

static void test_one_element_is_upsampled(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(1, 1, 1, 1), (float[]){7});
  et_value *out = et_test_floats(t, ET_SHAPE(1, 1, 1, 1), NULL);
  assert_int_equal(ET_CALL(t, "aten::upsample_nearest2d.vec_out", x,
                           ET_INTS(t, 1, 1), et_test_none(t), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){7}, 1);
  et_test_end(t);
}

/* The sum of the repeats is 3. */
static void test_repeat_count_overflow_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  static const int64_t repeats[] = {1, 2};
  et_value *x = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), repeats);
  for (int32_t capacity = 2; capacity <= 3; capacity++) {
    et_value *out =
        et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(capacity), NULL);
    const et_status status = ET_CALL(t, "aten::repeat_interleave.Tensor_out", x,
                                     et_test_none(t), out, out);
    assert_true((status == ET_STATUS_OK) == (capacity == 3));
  }
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns_are_gathered),
      cmocka_unit_test(test_index_put_writes_rows),
      cmocka_unit_test(test_indices_in_data_are_checked_before_writing),
      cmocka_unit_test(test_nonzero_follows_the_data),
      cmocka_unit_test(test_upsampling_to_an_empty_size_is_refused),
      cmocka_unit_test(test_one_element_is_upsampled),
      cmocka_unit_test(test_repeat_count_overflow_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
