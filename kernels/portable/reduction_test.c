#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static void test_mean_reduces_selected_dims(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 3), (float[]){1, 2, 3, 4, 5, 9});
  et_value *out = et_test_floats(t, ET_SHAPE(2, 1), NULL);
  assert_int_equal(ET_CALL(t, "aten::mean.out", x, ET_INTS(t, -1),
                           et_test_bool(t, true), et_test_none(t), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){2, 6}, 2);
  et_test_end(t);
}

static void test_invalid_reduction_axes_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(2, 3), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_value *no = et_test_bool(t, false);
  et_test_assert_refused(t,
                         ET_CALL(t, "aten::mean.out", x, ET_INTS(t, 2), no,
                                 et_test_none(t), out, out),
                         "axis 2 is not in [-2, 1]");
  et_test_assert_refused(t,
                         ET_CALL(t, "aten::mean.out", x, ET_INTS(t, 0, -2), no,
                                 et_test_none(t), out, out),
                         "is repeated");
  et_test_assert_refused(t,
                         ET_CALL(t, "aten::_softmax.out", x,
                                 et_test_int(t, INT64_MIN), no, out, out),
                         "is not in");
  et_test_end(t);
}

static void test_argmax_returns_the_first_maximum(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x =
      et_test_floats(t, ET_SHAPE(2, 3), (float[]){1, 7, 7, NAN, 9, NAN});
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), NULL);
  assert_int_equal(ET_CALL(t, "aten::argmax.out", x, et_test_int(t, 1),
                           et_test_bool(t, false), out, out),
                   ET_STATUS_OK);
  const int64_t expected[2] = {1, 0};
  assert_memory_equal(out->u.as_tensor->data, expected, sizeof(expected));
  et_test_end(t);
}

static void test_argmax_of_empty_dims_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 0), NULL);
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(2), NULL);
  et_test_assert_refused(t,
                         ET_CALL(t, "aten::argmax.out", x, et_test_int(t, 1),
                                 et_test_bool(t, false), out, out),
                         "the input has no elements");
  et_test_end(t);
}

static void test_softmax_does_not_overflow(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2), (float[]){1000.0f, 1000.0f});
  et_value *out = et_test_floats(t, ET_SHAPE(2), NULL);
  et_value *no = et_test_bool(t, false);
  et_value *axis = et_test_int(t, 0);
  assert_int_equal(ET_CALL(t, "aten::_softmax.out", x, axis, no, out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){0.5f, 0.5f}, 2);
  assert_int_equal(ET_CALL(t, "aten::_log_softmax.out", x, axis, no, out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){-0.69314718f, -0.69314718f}, 2);
  et_test_end(t);
}

static void test_layer_norm_returns_statistics(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(1, 2), (float[]){1, 3});
  et_value *outs[3] = {et_test_floats(t, ET_SHAPE(1, 2), NULL),
                       et_test_floats(t, ET_SHAPE(1, 1), NULL),
                       et_test_floats(t, ET_SHAPE(1, 1), NULL)};
  assert_int_equal(
      ET_CALL(t, "aten::native_layer_norm.out", x, ET_INTS(t, 2),
              et_test_none(t), et_test_none(t), et_test_double(t, 0.0), outs[0],
              outs[1], outs[2], et_test_list(t, ET_VALUE_TENSOR_LIST, outs, 3)),
      ET_STATUS_OK);
  et_test_assert_floats(outs[0], (float[]){-1, 1}, 2);
  et_test_assert_floats(outs[1], (float[]){2}, 1);
  et_test_assert_floats(outs[2], (float[]){1}, 1);
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mean_reduces_selected_dims),
      cmocka_unit_test(test_invalid_reduction_axes_are_refused),
      cmocka_unit_test(test_argmax_returns_the_first_maximum),
      cmocka_unit_test(test_argmax_of_empty_dims_is_refused),
      cmocka_unit_test(test_softmax_does_not_overflow),
      cmocka_unit_test(test_layer_norm_returns_statistics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
