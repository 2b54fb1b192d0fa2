#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static const float kElements[6] = {1, 2, 3, 4, 5, 6};

static et_value *indices(et_test *t, int64_t first, int64_t second) {
  return et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2, 1),
                        (int64_t[]){first, second});
}

static void test_last_element_is_gathered_and_scattered(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *axis = et_test_int(t, 1);
  et_value *index = indices(t, 0, 2);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 1), NULL);
  assert_int_equal(ET_CALL(t, "aten::gather.out", x, axis, index,
                           et_test_bool(t, false), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1, 6}, 2);
  et_value *whole = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::scatter_add.out", x, axis, index, out, whole, whole),
      ET_STATUS_OK);
  et_test_assert_floats(whole, (float[]){2, 2, 3, 4, 5, 12}, 6);
  et_test_end(t);
}

static void test_scatter_indices_are_checked_before_writing(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), (float[6]){0});
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *axis = et_test_int(t, 1);
  static const int64_t wrong[] = {3, -1, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    et_value *index = indices(t, 0, wrong[i]);
    et_test_assert_refused(t,
                           ET_CALL(t, "aten::scatter.value_out", x, axis, index,
                                   et_test_double(t, 9), out, out),
                           "is not in [0, 3)");
    et_test_assert_refused(
        t, ET_CALL(t, "aten::scatter.src_out", x, axis, index, x, out, out),
        "is not in [0, 3)");
  }
  et_test_assert_floats(out, kElements, 6);
  et_test_end(t);
}

static void test_reflection_padding_reaches_the_far_edge(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 7), NULL);
  assert_int_equal(
      ET_CALL(t, "aten::reflection_pad1d.out", x, ET_INTS(t, 2, 2), out, out),
      ET_STATUS_OK);
  et_test_assert_floats(
      out, (float[]){3, 2, 1, 2, 3, 2, 1, 6, 5, 4, 5, 6, 5, 4}, 14);
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::reflection_pad1d.out", x, ET_INTS(t, 3, 0), out, out),
      "padding (3, 0) is not valid for size 3");
  et_test_end(t);
}

static void test_as_strided_stays_in_bounds(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(6), kElements);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  et_value *sizes = ET_INTS(t, 2, 2);
  assert_int_equal(ET_CALL(t, "aten::as_strided_copy.out", x, sizes,
                           ET_INTS(t, 4, 1), et_test_int(t, 0), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1, 2, 5, 6}, 4);
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::as_strided_copy.out", x, sizes,
              ET_INTS(t, INT64_MAX, INT64_MAX), et_test_int(t, 0), out, out),
      "exceeds the 6 elements");
  et_test_end(t);
}

static void test_topk_needs_no_memory_besides_its_outs(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(6), kElements);
  et_value *outs[2] = {
      et_test_floats(t, ET_SHAPE(2), NULL),
      et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), NULL)};
  et_value *yes = et_test_bool(t, true);
  assert_int_equal(ET_CALL(t, "aten::topk.values", x, et_test_int(t, 2),
                           et_test_int(t, 0), yes, yes, outs[0], outs[1],
                           et_test_list(t, ET_VALUE_TENSOR_LIST, outs, 2)),
                   ET_STATUS_OK);
  et_test_assert_floats(outs[0], (float[]){6, 5}, 2);
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_last_element_is_gathered_and_scattered),
      cmocka_unit_test(test_scatter_indices_are_checked_before_writing),
      cmocka_unit_test(test_reflection_padding_reaches_the_far_edge),
      cmocka_unit_test(test_as_strided_stays_in_bounds),
      cmocka_unit_test(test_topk_needs_no_memory_besides_its_outs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
