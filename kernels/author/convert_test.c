#include "executorch/kernels/convert.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "kernels/author/converter.h"

/* References all converters, as a kernel table does, so that they are
 * linked. */
#define REFERENCE(NAME, name) &et_converter_##name,
const et_converter *const et_linked_converters[] = {
    ET_CONVERTER_LIST(REFERENCE)};

static void test_floating_to_integer_truncates_and_saturates(void **state) {
  (void)state;
  assert_int_equal(et_float_to_int64(2.9), 2);
  assert_int_equal(et_float_to_int64(-2.9), -2);
  assert_true(et_float_to_int64(1e30) == INT64_MAX);
  assert_true(et_float_to_int64(-(double)INFINITY) == INT64_MIN);
  assert_int_equal(et_float_to_int64((double)NAN), 0);
}

static void test_narrow_integers_keep_the_low_bits(void **state) {
  (void)state;
  const int64_t values[3] = {300, -129, -1};
  int8_t out[3] = {0};
  et_store_run(ET_COMPUTE_INT64, values, ET_SCALAR_TYPE_INT8, (uint8_t *)out, 1,
               3);
  assert_int_equal(out[0], 44);
  assert_int_equal(out[1], 127);
  assert_int_equal(out[2], -1);
}

static void test_any_nonzero_byte_is_true(void **state) {
  (void)state;
  const uint8_t in[3] = {0, 1, 200};
  int64_t out[3] = {9, 9, 9};
  et_load_run(ET_COMPUTE_INT64, ET_SCALAR_TYPE_BOOL, in, 1, 3, out);
  assert_int_equal(out[0], 0);
  assert_int_equal(out[1], 1);
  assert_int_equal(out[2], 1);
}

static void test_fractions_and_nan_are_true(void **state) {
  (void)state;
  const float values[4] = {0.0f, -0.0f, 0.25f, NAN};
  uint8_t out[4] = {9, 9, 9, 9};
  et_store_run(ET_COMPUTE_FLOAT32, values, ET_SCALAR_TYPE_BOOL, out, 1, 4);
  assert_int_equal(out[0] + out[1], 0);
  assert_int_equal(out[2] + out[3], 2);
}

static void test_elements_without_a_converter_are_read_as_zeros(void **state) {
  (void)state;
  static const et_compute computes[] = {ET_COMPUTE_INT64, ET_COMPUTE_FLOAT32,
                                        ET_COMPUTE_FLOAT64};
  static const size_t sizes[] = {8, 4, 8};
  const uint16_t in[2] = {1, 2};
  for (size_t i = 0; i < 3; i++) {
    int64_t out[3] = {-1, -1, -1};
    const uint8_t *bytes = (const uint8_t *)out;
    et_load_run(computes[i], ET_SCALAR_TYPE_UINT16, (const uint8_t *)in, 1, 2,
                out);
    for (size_t k = 0; k < sizeof out; k++) {
      assert_int_equal(bytes[k], k < 2 * sizes[i] ? 0 : 0xFF);
    }
  }
}

static void test_wide_unsigned_integers_are_refused(void **state) {
  (void)state;
  assert_false(et_dtype_is_computable(ET_SCALAR_TYPE_UINT16));
  assert_false(et_dtype_is_computable(ET_SCALAR_TYPE_UINT64));
  assert_true(et_dtype_is_computable(ET_SCALAR_TYPE_BFLOAT16));
  assert_true(et_dtype_is_computable(ET_SCALAR_TYPE_UINT8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floating_to_integer_truncates_and_saturates),
      cmocka_unit_test(test_narrow_integers_keep_the_low_bits),
      cmocka_unit_test(test_any_nonzero_byte_is_true),
      cmocka_unit_test(test_fractions_and_nan_are_true),
      cmocka_unit_test(test_elements_without_a_converter_are_read_as_zeros),
      cmocka_unit_test(test_wide_unsigned_integers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
