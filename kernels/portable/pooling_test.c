#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static et_status max_pool(et_test *t, et_value *x, int64_t kernel,
                          int64_t stride, int64_t padding, int64_t dilation,
                          et_value *out, et_value *indices) {
  et_value *outs[2] = {out, indices};
  return ET_CALL(t, "aten::max_pool2d_with_indices.out", x, ET_INTS(t, kernel),
                 ET_INTS(t, stride), ET_INTS(t, padding), ET_INTS(t, dilation),
                 et_test_bool(t, false), out, indices,
                 et_test_list(t, ET_VALUE_TENSOR_LIST, outs, 2));
}

static void test_max_pooling_returns_the_first_maximum(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const float in[16] = {1, 5, 2, 2, 5, 0, 2, 2, -1, -2, 8, 0, -3, -4, 0, 7};
  et_value *x = et_test_floats(t, ET_SHAPE(1, 4, 4), in);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 2, 2), NULL);
  et_value *indices =
      et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(1, 2, 2), NULL);
  assert_int_equal(max_pool(t, x, 2, 2, 0, 1, out, indices), ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){5, 2, -1, 8}, 4);
  const int64_t expected[4] = {1, 2, 8, 10};
  assert_memory_equal(indices->u.as_tensor->data, expected, sizeof(expected));
  et_test_end(t);
}

static void test_invalid_pooling_windows_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(1, 4, 4), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 9, 9), NULL);
  et_value *indices =
      et_test_tensor(t, ET_SCALAR_TYPE_INT64, ET_SHAPE(1, 9, 9), NULL);
  static const struct {
    int64_t kernel, stride, padding, dilation;
    const char *part;
  } cases[] = {
      {0, 1, 0, 1, "kernel_size"},
      {-1, 1, 0, 1, "kernel_size"},
      {2, 0, 0, 1, "stride"},
      {2, -1, 0, 1, "stride"},
      {2, 1, 2, 1, "half"},
      {2, 1, -1, 1, "padding"},
      {2, 1, 0, 0, "dilation"},
      {5, 1, 0, 1, "exceeds an input"},
      {2, 1, 0, INT32_MAX, "exceeds an input"},
      {INT64_MAX, 1, 0, 1, "kernel_size"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    et_test_assert_refused(
        t,
        max_pool(t, x, cases[i].kernel, cases[i].stride, cases[i].padding,
                 cases[i].dilation, out, indices),
        cases[i].part);
  }
  et_test_end(t);
}

static void test_average_pooling_may_exclude_padding(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(1, 2, 2), (float[]){1, 2, 3, 4});
  et_value *out = et_test_floats(t, ET_SHAPE(1, 2, 2), NULL);
  for (int include = 0; include < 2; include++) {
    assert_int_equal(
        ET_CALL(t, "aten::avg_pool2d.out", x, ET_INTS(t, 2), ET_INTS(t, 2),
                ET_INTS(t, 1), et_test_bool(t, false),
                et_test_bool(t, include != 0), et_test_none(t), out, out),
        ET_STATUS_OK);
    const float share = include != 0 ? 0.25f : 1.0f;
    et_test_assert_floats(
        out, (float[]){1 * share, 2 * share, 3 * share, 4 * share}, 4);
  }
  et_test_end(t);
}

static void test_adaptive_windows_overlap(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(1, 1, 3), (float[]){1, 2, 6});
  et_value *out = et_test_floats(t, ET_SHAPE(1, 1, 2), NULL);
  assert_int_equal(ET_CALL(t, "aten::_adaptive_avg_pool2d.out", x,
                           ET_INTS(t, 1, 2), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){1.5f, 4.0f}, 2);
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_max_pooling_returns_the_first_maximum),
      cmocka_unit_test(test_invalid_pooling_windows_are_refused),
      cmocka_unit_test(test_average_pooling_may_exclude_padding),
      cmocka_unit_test(test_adaptive_windows_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
