#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static et_value *pairs(et_test *t, const int32_t *sizes, size_t rank,
                       const et_complex64 *elements) {
  return et_test_tensor(t, ET_SCALAR_TYPE_COMPLEX64, sizes, rank, elements);
}

static et_status real_to_complex(et_test *t, et_value *x, et_value *dims,
                                 int64_t normalization, et_value *out) {
  return ET_CALL(t, "aten::_fft_r2c.out", x, dims,
                 et_test_int(t, normalization), et_test_bool(t, true), out,
                 out);
}

static et_status complex_to_real(et_test *t, et_value *x, et_value *dims,
                                 int64_t length, et_value *out) {
  return ET_CALL(t, "aten::_fft_c2r.out", x, dims, et_test_int(t, 2),
                 et_test_int(t, length), out, out);
}

/* Tests lengths with the factors 4, 2 and odd primes. */
static void test_inverse_fft_restores_its_input(void **state) {
  (void)state;
  for (int32_t length = 1; length <= 40; length++) {
    et_test *t = et_test_begin();
    et_value *x = et_test_random(t, ET_SHAPE(length), 7);
    et_value *half = pairs(t, ET_SHAPE(length / 2 + 1), NULL);
    et_value *back = et_test_floats(t, ET_SHAPE(length), NULL);
    assert_int_equal(real_to_complex(t, x, ET_INTS(t, 0), 0, half),
                     ET_STATUS_OK);
    assert_int_equal(complex_to_real(t, half, ET_INTS(t, -1), length, back),
                     ET_STATUS_OK);
    for (int32_t i = 0; i < length; i++) {
      assert_float_equal(et_test_data(back)[i], et_test_data(x)[i], 1e-5);
    }
    et_test_end(t);
  }
}

static void test_invalid_fft_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 4), NULL);
  et_value *half = pairs(t, ET_SHAPE(2, 3), NULL);
  et_test_assert_refused(t, real_to_complex(t, x, ET_INTS(t, 2), 0, half),
                         "_fft_r2c: axis 2 is not in [-2, 1]");
  et_test_assert_refused(t, real_to_complex(t, x, ET_INTS(t, 1, -1), 0, half),
                         "_fft_r2c: axis 1 is repeated");
  et_test_assert_refused(
      t, real_to_complex(t, x, et_test_ints(t, NULL, 0), 0, half),
      "_fft_r2c: dim is empty");
  et_test_assert_refused(t, real_to_complex(t, x, ET_INTS(t, 1), 3, half),
                         "_fft_r2c: normalization = 3 is invalid");
  et_test_assert_refused(
      t, complex_to_real(t, half, ET_INTS(t, 1), 6, x),
      "_fft_c2r: last_dim_size = 6 does not match 3 elements");
  et_test_assert_refused(
      t, complex_to_real(t, half, ET_INTS(t, 0, 1), 4, x),
      "_fft_c2r: 2 dimensions; transform all but the last with _fft_c2c");
  et_value *none = et_test_floats(t, ET_SHAPE(2, 0), NULL);
  et_test_assert_refused(t, real_to_complex(t, none, ET_INTS(t, 1), 0, half),
                         "_fft_r2c: dimension 1 has no elements");
  et_test_end(t);
}

static void test_real_pairs_are_complex_values(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_floats(t, ET_SHAPE(2, 2), (float[]){1, 2, 3, 4});
  et_value *z = pairs(t, ET_SHAPE(2), NULL);
  et_value *back = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  assert_int_equal(ET_CALL(t, "aten::view_as_complex_copy.out", x, z, z),
                   ET_STATUS_OK);
  assert_int_equal(ET_CALL(t, "aten::mul.out", z, z, z, z), ET_STATUS_OK);
  assert_int_equal(ET_CALL(t, "aten::view_as_real_copy.out", z, back, back),
                   ET_STATUS_OK);
  et_test_assert_floats(back, (float[]){-3, 4, -7, 24}, 4);
  et_value *triples = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::view_as_complex_copy.out", triples, z, z),
      "view_as_complex_copy: the last dimension has 3 elements, not 2");
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inverse_fft_restores_its_input),
      cmocka_unit_test(test_invalid_fft_is_refused),
      cmocka_unit_test(test_real_pairs_are_complex_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
