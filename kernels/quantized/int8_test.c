#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

#define INT8 ET_SCALAR_TYPE_INT8

/* Returns an int8 tensor with the elements 1, 2, 3, ... */
static et_value *counted(et_test *t, const int32_t *sizes, size_t rank) {
  et_value *value = et_test_tensor(t, INT8, sizes, rank, NULL);
  int8_t *quantized = value->u.as_tensor->data;
  for (size_t i = 0; i < value->u.as_tensor->numel; i++) {
    quantized[i] = (int8_t)(i + 1);
  }
  return value;
}

static et_value *ones(et_test *t, const int32_t *sizes, size_t rank) {
  et_value *value = et_test_tensor(t, INT8, sizes, rank, NULL);
  int8_t *quantized = value->u.as_tensor->data;
  for (size_t i = 0; i < value->u.as_tensor->numel; i++) {
    quantized[i] = 1;
  }
  return value;
}

typedef struct convolution {
  et_value *x;
  et_value *weight;
  int64_t stride;
  int64_t padding;
  int64_t groups;
  int64_t zero_point;
} convolution;

static et_status convolve(et_test *t, const convolution *c, et_value *out) {
  et_value *factors =
      et_test_floats(t, ET_SHAPE(2), (const float[]){1.0f, 0.5f});
  et_value *bias = et_test_floats(t, ET_SHAPE(2), (const float[]){0.0f, 1.0f});
  return ET_CALL(t, "quantized_bytes::convolution.out", c->x,
                 et_test_int(t, c->zero_point), c->weight, factors, bias,
                 et_test_ints(t, (int64_t[]){c->stride, c->stride}, 2),
                 et_test_ints(t, (int64_t[]){c->padding, c->padding}, 2),
                 et_test_ints(t, (int64_t[]){1, 1}, 2),
                 et_test_int(t, c->groups), et_test_int(t, 0),
                 et_test_int(t, -100), et_test_int(t, 100), out, out);
}

static void assert_quantized(const et_value *out, const int8_t *expected) {
  assert_memory_equal(out->u.as_tensor->data, expected,
                      out->u.as_tensor->numel);
}

static void test_window_sums_treat_padding_as_zero(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const convolution c = {counted(t, ET_SHAPE(1, 1, 2, 3)),
                         ones(t, ET_SHAPE(2, 1, 2, 2)),
                         1,
                         1,
                         1,
                         1};
  et_value *out = et_test_tensor(t, INT8, ET_SHAPE(1, 2, 3, 4), NULL);
  assert_int_equal(convolve(t, &c, out), ET_STATUS_OK);
  assert_quantized(out, (const int8_t[]){0, 1, 3, 2, 3, 8, 12, 7, 3, 7, 9, 5,
                                         1, 2, 2, 2, 2, 5, 7,  4, 2, 4, 6, 4});
  et_test_end(t);
}

static void test_depthwise_accumulators_match_convolution(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const convolution c = {counted(t, ET_SHAPE(1, 2, 3, 3)),
                         ones(t, ET_SHAPE(2, 1, 3, 3)),
                         2,
                         1,
                         2,
                         0};
  et_value *out = et_test_tensor(t, INT8, ET_SHAPE(1, 2, 2, 2), NULL);
  assert_int_equal(convolve(t, &c, out), ET_STATUS_OK);
  assert_quantized(out, (const int8_t[]){12, 16, 24, 28, 25, 27, 31, 33});
  et_test_end(t);
}

static void test_invalid_int8_convolutions_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *out = et_test_tensor(t, INT8, ET_SHAPE(1, 2, 2, 2), NULL);
  convolution c = {counted(t, ET_SHAPE(1, 2, 3, 3)),
                   ones(t, ET_SHAPE(2, 1, 3, 3)),
                   0,
                   1,
                   2,
                   0};
  et_test_assert_refused(t, convolve(t, &c, out), "stride");
  c.stride = 2;
  c.groups = 0;
  et_test_assert_refused(t, convolve(t, &c, out), "groups = 0");
  c.groups = 2;
  c.zero_point = 128;
  et_test_assert_refused(t, convolve(t, &c, out), "zero_point 128");
  c.zero_point = 0;
  c.weight = ones(t, ET_SHAPE(4, 1, 3, 3));
  et_test_assert_refused(t, convolve(t, &c, out), "bias must have");
  et_test_end(t);
}

static void test_int8_gemm_accepts_any_row_count(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = counted(t, ET_SHAPE(3, 5));
  et_value *weight = ones(t, ET_SHAPE(1, 5));
  et_value *factors = et_test_floats(t, ET_SHAPE(1), (const float[]){0.5f});
  et_value *out = et_test_tensor(t, INT8, ET_SHAPE(3, 1), NULL);
  assert_int_equal(
      ET_CALL(t, "quantized_bytes::linear.out", x, et_test_int(t, 0), weight,
              factors, et_test_none(t), et_test_int(t, -7),
              et_test_int(t, -128), et_test_int(t, 20), out, out),
      ET_STATUS_OK);
  /* 7.5 and 32.5 round to even. */
  assert_quantized(out, (const int8_t[]){1, 13, 20});
  et_test_end(t);
}

static void test_lut_starts_with_the_lowest_quantized_value(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *table = counted(t, ET_SHAPE(256));
  et_value *x = et_test_tensor(t, INT8, ET_SHAPE(3), (int8_t[]){-128, 0, 127});
  et_value *out = et_test_tensor(t, INT8, ET_SHAPE(3), NULL);
  assert_int_equal(ET_CALL(t, "quantized_bytes::table.out", x, table, out, out),
                   ET_STATUS_OK);
  assert_quantized(out, (const int8_t[]){1, -127, 0});
  et_test_end(t);
}

/* A run is processed in chunks of 64 elements. */
static void test_addition_handles_runs_of_any_length(void **state) {
  (void)state;
  for (int32_t count = 63; count <= 129; count++) {
    et_test *t = et_test_begin();
    et_value *x = ones(t, ET_SHAPE(count));
    et_value *out = et_test_tensor(t, INT8, ET_SHAPE(count), NULL);
    et_value *zero = et_test_int(t, 0);
    et_value *two = et_test_double(t, 2.0);
    assert_int_equal(
        ET_CALL(t, "quantized_bytes::add.out", x, zero, two, x, zero, two, zero,
                et_test_int(t, -100), et_test_int(t, 100), out, out),
        ET_STATUS_OK);
    const int8_t *sums = out->u.as_tensor->data;
    for (int32_t i = 0; i < count; i++) {
      assert_int_equal(sums[i], 4);
    }
    et_test_end(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_window_sums_treat_padding_as_zero),
      cmocka_unit_test(test_addition_handles_runs_of_any_length),
      cmocka_unit_test(test_depthwise_accumulators_match_convolution),
      cmocka_unit_test(test_invalid_int8_convolutions_are_refused),
      cmocka_unit_test(test_int8_gemm_accepts_any_row_count),
      cmocka_unit_test(test_lut_starts_with_the_lowest_quantized_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
