#include "executorch/tensor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* A dynamic tensor of at most 2 x 3 floats. */
typedef struct sample {
  float data[6];
  int32_t sizes[2];
  int32_t strides[2];
  uint8_t dim_order[2];
  et_tensor tensor;
} sample;

static void make_sample(sample *s, uint8_t dynamism) {
  const sample empty = {
      .sizes = {2, 3}, .strides = {3, 1}, .dim_order = {0, 1}};
  *s = empty;
  s->tensor.data = s->data;
  s->tensor.capacity = sizeof s->data;
  s->tensor.sizes = s->sizes;
  s->tensor.strides = s->strides;
  s->tensor.dim_order = s->dim_order;
  s->tensor.numel = 6;
  s->tensor.dtype = ET_SCALAR_TYPE_FLOAT32;
  s->tensor.rank = 2;
  s->tensor.dynamism = dynamism;
}

static void test_layout_follows_the_dim_order(void **state) {
  (void)state;
  const int32_t sizes[4] = {2, 3, 4, 5};
  const uint8_t channels_last[4] = {0, 2, 3, 1};
  int32_t strides[4];
  size_t numel = 0;
  assert_int_equal(
      et_tensor_layout(sizes, channels_last, 4, strides, &numel, NULL),
      ET_STATUS_OK);
  const int32_t expected[4] = {60, 1, 15, 3};
  assert_memory_equal(strides, expected, sizeof expected);
  assert_int_equal(numel, 120);
}

static void test_empty_tensor_has_positive_strides(void **state) {
  (void)state;
  const int32_t sizes[3] = {2, 0, 3};
  const uint8_t order[3] = {0, 1, 2};
  int32_t strides[3];
  size_t numel = 1;
  assert_int_equal(et_tensor_layout(sizes, order, 3, strides, &numel, NULL),
                   ET_STATUS_OK);
  assert_int_equal(numel, 0);
  assert_int_equal(strides[0], 3);
}

static void reject_layout(const int32_t *sizes, const uint8_t *order,
                          size_t rank, const char *part) {
  int32_t strides[ET_MAX_RANK + 1];
  size_t numel = 0;
  et_error error;
  et_error_clear(&error);
  assert_int_equal(
      et_tensor_layout(sizes, order, rank, strides, &numel, &error),
      ET_STATUS_INVALID_PROGRAM);
  assert_non_null(strstr(error.message, part));
}

static void test_negative_and_overflowing_sizes_are_refused(void **state) {
  (void)state;
  const uint8_t order[4] = {0, 1, 2, 3};
  const int32_t negative[2] = {2, -1};
  const int32_t large[4] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  const int32_t product[3] = {INT32_MAX, 2, INT32_MAX};
  reject_layout(negative, order, 2, "sizes[1] = -1");
  reject_layout(large, order, 4, "exceeds 32 bits");
  reject_layout(product, order, 3, "exceeds 32 bits");
}

static void test_dim_order_must_be_a_permutation(void **state) {
  (void)state;
  const int32_t sizes[3] = {1, 2, 3};
  const uint8_t twice[3] = {0, 1, 1};
  const uint8_t beyond[3] = {0, 1, 3};
  reject_layout(sizes, twice, 3, "dim_order[2] = 1");
  reject_layout(sizes, beyond, 3, "dim_order[2] = 3");
  reject_layout(sizes, twice, ET_MAX_RANK + 1, "exceed the limit");
}

static void test_resize_updates_sizes_strides_and_count(void **state) {
  (void)state;
  sample s;
  const int32_t sizes[2] = {3, 1};
  make_sample(&s, ET_SHAPE_DYNAMIC_BOUND);
  assert_int_equal(et_tensor_resize(&s.tensor, sizes, 2, NULL), ET_STATUS_OK);
  assert_int_equal(s.tensor.numel, 3);
  assert_int_equal(s.strides[0], 1);
  assert_int_equal(et_tensor_nbytes(&s.tensor), 12);
}

static void test_resize_past_the_bound_is_refused(void **state) {
  (void)state;
  sample s;
  const int32_t beyond[2] = {7, 1};
  const int32_t wraps[2] = {INT32_MAX, INT32_MAX};
  const int32_t negative[2] = {-1, 3};
  et_error error;
  make_sample(&s, ET_SHAPE_DYNAMIC_BOUND);
  assert_int_equal(et_tensor_resize(&s.tensor, beyond, 2, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_tensor_resize(&s.tensor, wraps, 2, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  et_error_clear(&error);
  assert_int_equal(et_tensor_resize(&s.tensor, negative, 2, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "size -1 of dim 0 is negative; pass at least 0");
  assert_int_equal(et_tensor_resize(&s.tensor, beyond, 1, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(s.sizes[0], 2);
  assert_int_equal(s.tensor.numel, 6);
}

static void test_static_tensor_cannot_be_resized(void **state) {
  (void)state;
  sample s;
  const int32_t smaller[2] = {1, 3};
  make_sample(&s, ET_SHAPE_STATIC);
  assert_int_equal(et_tensor_resize(&s.tensor, s.sizes, 2, NULL), ET_STATUS_OK);
  assert_int_equal(et_tensor_resize(&s.tensor, smaller, 2, NULL),
                   ET_STATUS_NOT_SUPPORTED);
}

static void test_shape_and_dim_order_are_compared(void **state) {
  (void)state;
  sample a;
  sample b;
  make_sample(&a, ET_SHAPE_STATIC);
  make_sample(&b, ET_SHAPE_STATIC);
  assert_true(et_tensor_same_shape(&a.tensor, &b.tensor));
  assert_true(et_tensor_is_contiguous(&a.tensor));
  b.dim_order[0] = 1;
  b.dim_order[1] = 0;
  b.sizes[0] = 3;
  assert_false(et_tensor_same_shape(&a.tensor, &b.tensor));
  assert_false(et_tensor_same_dim_order(&a.tensor, &b.tensor));
  assert_false(et_tensor_is_contiguous(&b.tensor));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layout_follows_the_dim_order),
      cmocka_unit_test(test_empty_tensor_has_positive_strides),
      cmocka_unit_test(test_negative_and_overflowing_sizes_are_refused),
      cmocka_unit_test(test_dim_order_must_be_a_permutation),
      cmocka_unit_test(test_resize_updates_sizes_strides_and_count),
      cmocka_unit_test(test_resize_past_the_bound_is_refused),
      cmocka_unit_test(test_static_tensor_cannot_be_resized),
      cmocka_unit_test(test_shape_and_dim_order_are_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
