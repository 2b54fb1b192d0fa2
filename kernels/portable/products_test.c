#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static float dot_of(const float *a, const float *b, int64_t b_step,
                    int64_t depth) {
  double sum = 0.0;
  for (int64_t k = 0; k < depth; k++) {
    sum += (double)a[k] * (double)b[k * b_step];
  }
  return (float)sum;
}

static void check_mm(int32_t m, int32_t k, int32_t n) {
  et_test *t = et_test_begin();
  et_value *a = et_test_random(t, ET_SHAPE(m, k), 1);
  et_value *b = et_test_random(t, ET_SHAPE(k, n), 2);
  et_value *out = et_test_floats(t, ET_SHAPE(m, n), NULL);
  assert_int_equal(ET_CALL(t, "aten::mm.out", a, b, out, out), ET_STATUS_OK);
  for (int64_t i = 0; i < (int64_t)m * n; i++) {
    assert_float_equal(
        et_test_data(out)[i],
        dot_of(et_test_data(a) + i / n * k, et_test_data(b) + i % n, n, k),
        1e-3f);
  }
  et_test_end(t);
}

static void check_linear(int32_t m, int32_t k, int32_t n) {
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(m, k), 1);
  et_value *weight = et_test_random(t, ET_SHAPE(n, k), 2);
  et_value *bias = et_test_random(t, ET_SHAPE(n), 3);
  et_value *out = et_test_floats(t, ET_SHAPE(m, n), NULL);
  assert_int_equal(ET_CALL(t, "aten::linear.out", x, weight, bias, out, out),
                   ET_STATUS_OK);
  for (int64_t i = 0; i < (int64_t)m * n; i++) {
    const float product = dot_of(et_test_data(x) + i / n * k,
                                 et_test_data(weight) + i % n * k, 1, k);
    assert_float_equal(et_test_data(out)[i],
                       product + et_test_data(bias)[i % n], 1e-3f);
  }
  et_test_end(t);
}

static void test_gemm_kernels_match_plain_loops(void **state) {
  (void)state;
  static const int32_t sizes[][3] = {{1, 1, 1},    {1, 200, 300}, {2, 130, 7},
                                     {5, 33, 300}, {7, 300, 65},  {3, 0, 2}};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    check_mm(sizes[i][0], sizes[i][1], sizes[i][2]);
    check_linear(sizes[i][0], sizes[i][1], sizes[i][2]);
  }
}

static void test_zero_beta_ignores_the_bias(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *bias = et_test_floats(t, ET_SHAPE(1), (float[]){NAN});
  et_value *a = et_test_floats(t, ET_SHAPE(1, 2), (float[]){1, 2});
  et_value *b = et_test_floats(t, ET_SHAPE(2, 1), (float[]){3, 4});
  et_value *out = et_test_floats(t, ET_SHAPE(1, 1), NULL);
  assert_int_equal(ET_CALL(t, "aten::addmm.out", bias, a, b, et_test_int(t, 0),
                           et_test_double(t, 2.0), out, out),
                   ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){22}, 1);
  et_test_end(t);
}

static void test_gemm_kernels_reject_mismatched_shapes(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_random(t, ET_SHAPE(2, 3), 1);
  et_value *v = et_test_random(t, ET_SHAPE(3), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_test_assert_refused(t, ET_CALL(t, "aten::mm.out", a, a, out, out),
                         "cannot be multiplied");
  et_test_assert_refused(t, ET_CALL(t, "aten::mm.out", a, v, out, out),
                         "1 dimensions");
  et_test_assert_refused(t, ET_CALL(t, "aten::bmm.out", a, a, out, out),
                         "2 dimensions");
  et_test_assert_refused(t, ET_CALL(t, "aten::linear.out", a, a, a, out, out),
                         "linear: bias must have one dimension of 2 elements");
  et_test_end(t);
}

/* mat2 is [8, 9]. If `transposed` is true, its columns are contiguous. */
static size_t scratch_of(et_scalar_type dtype, int32_t rows, bool transposed) {
  et_test *t = et_test_begin();
  et_value *self = et_test_tensor(t, dtype, ET_SHAPE(rows, 8), NULL);
  et_value *mat2 = et_test_tensor(t, dtype, ET_SHAPE(8, 9), NULL);
  et_value *out = et_test_tensor(t, dtype, ET_SHAPE(rows, 9), NULL);
  if (transposed) {
    mat2->u.as_tensor->strides[0] = 1;
    mat2->u.as_tensor->strides[1] = 8;
  }
  const size_t bytes = ET_SCRATCH("aten::mm.out", self, mat2, out, out);
  et_test_end(t);
  return bytes;
}

static void test_gemm_scratch_matches_the_kernel_table(void **state) {
  (void)state;
  assert_int_equal(scratch_of(ET_SCALAR_TYPE_FLOAT32, 5, false), 0);
  assert_int_equal(scratch_of(ET_SCALAR_TYPE_FLOAT32, 4, true), 0);
  assert_int_equal(scratch_of(ET_SCALAR_TYPE_FLOAT32, 5, true), 32768);
  assert_int_equal(scratch_of(ET_SCALAR_TYPE_INT32, 5, true), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm_kernels_match_plain_loops),
      cmocka_unit_test(test_zero_beta_ignores_the_bias),
      cmocka_unit_test(test_gemm_kernels_reject_mismatched_shapes),
      cmocka_unit_test(test_gemm_scratch_matches_the_kernel_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
