/* Tests operators that read sizes and elements of tensors, view them, or copy
 * rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "executorch/kernel.h"
#include "executorch/value.h"
#include "runtime/testing/scalar_calls.h"

et_status et_prim_sym_size_int(et_kernel_context *context, et_value **args);
et_status et_prim_sym_numel(et_kernel_context *context, et_value **args);
et_status et_prim_local_scalar_dense(et_kernel_context *context,
                                     et_value **args);
et_status et_prim_et_view(et_kernel_context *context, et_value **args);
et_status et_prim_et_copy_index(et_kernel_context *context, et_value **args);

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
  et_value out = et_test_int(0);
  assert_int_equal(
      et_test_call(et_prim_sym_size_int, s.value, et_test_int(1), &out),
      ET_STATUS_OK);
  assert_int_equal(out.u.as_int, 3);
  et_test_call(et_prim_sym_size_int, s.value, et_test_int(-2), &out);
  assert_int_equal(out.u.as_int, 2);
  et_value *args[2] = {&s.value, &out};
  et_prim_sym_numel(&context, args);
  assert_int_equal(out.u.as_int, 6);
}

static void test_dim_out_of_range_is_an_error(void **state) {
  (void)state;
  const int64_t dims[] = {2, -3, INT64_MAX, INT64_MIN};
  sample s;
  make_sample(&s, 2, TWO_BY_THREE, ET_SHAPE_STATIC);
  for (size_t i = 0; i < 4; i++) {
    et_value out = et_test_int(0);
    assert_int_equal(
        et_test_call(et_prim_sym_size_int, s.value, et_test_int(dims[i]), &out),
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
  et_value out = et_test_double(0);
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
    et_value out = et_test_int(0);
    et_value *args[2] = {&s.value, &out};
    s.tensor.dtype = ints[i].dtype;
    assert_int_equal(et_prim_local_scalar_dense(&context, args), ET_STATUS_OK);
    assert_int_equal(out.u.as_int, ints[i].expected);
  }
  et_value out = et_test_bool(false);
  et_value *args[2] = {&s.value, &out};
  s.tensor.dtype = ET_SCALAR_TYPE_BOOL;
  assert_int_equal(et_prim_local_scalar_dense(&context, args), ET_STATUS_OK);
  assert_true(out.u.as_bool);
  memcpy(s.data, &half, sizeof half);
  s.tensor.dtype = ET_SCALAR_TYPE_FLOAT64;
  out = et_test_double(0);
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
    numbers[i] = et_test_int(sizes[i]);
    items[i] = &numbers[i];
  }
  const et_value list = {ET_VALUE_INT_LIST, {.as_list = {items, rank}}};
  return et_test_call(et_prim_et_view, self.value, list, &out->value);
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

static void test_mismatched_views_are_errors(void **state) {
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

static void test_empty_views_have_valid_sizes(void **state) {
  (void)state;
  const int32_t none[2] = {0, 3};
  const int64_t wrong[][2] = {{0, -2}, {0, (int64_t)1 << 32}};
  sample self;
  sample out;
  make_sample(&self, 2, none, ET_SHAPE_STATIC);
  make_sample(&out, 2, none, ET_SHAPE_DYNAMIC_BOUND);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    et_value numbers[2] = {et_test_int(wrong[i][0]), et_test_int(wrong[i][1])};
    et_value *items[2] = {&numbers[0], &numbers[1]};
    const et_value list = {ET_VALUE_INT_LIST, {.as_list = {items, 2}}};
    assert_int_equal(
        et_test_call(et_prim_et_view, self.value, list, &out.value),
        ET_STATUS_INVALID_ARGUMENT);
  }
}

static et_status copy_index(sample *to, sample *from, int64_t index) {
  et_kernel_context context = {.error = NULL};
  et_value number = et_test_int(index);
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
  et_value number = et_test_int(2);
  et_value *args[3] = {&to.value, &from.value, &number};
  assert_int_equal(et_prim_et_copy_index(&context, args),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message, "index 2 is out of range for 2 rows");
}

/* CVE-2025-54949: an index beyond the target's memory. */
static void test_copy_index_beyond_the_target_is_an_error(void **state) {
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

static void test_copy_index_of_a_mismatched_shape_is_an_error(void **state) {
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
      cmocka_unit_test(test_size_and_numel_are_read),
      cmocka_unit_test(test_dim_out_of_range_is_an_error),
      cmocka_unit_test(test_single_element_converts_to_a_scalar),
      cmocka_unit_test(test_single_element_of_each_dtype_converts_to_a_scalar),
      cmocka_unit_test(test_view_infers_one_dimension),
      cmocka_unit_test(test_mismatched_views_are_errors),
      cmocka_unit_test(test_empty_views_have_valid_sizes),
      cmocka_unit_test(test_copy_index_extends_its_target_row_by_row),
      cmocka_unit_test(test_copy_index_beyond_the_target_states_its_rows),
      cmocka_unit_test(test_copy_index_beyond_the_target_is_an_error),
      cmocka_unit_test(test_copy_index_of_a_mismatched_shape_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
