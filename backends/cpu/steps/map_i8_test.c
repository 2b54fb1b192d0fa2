#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/testing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

extern const et_backend_part et_cpu_step_map_i8;

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

static void make(et_test_step *test, int32_t count, et_scalar_type a,
                 et_scalar_type b, et_scalar_type y) {
  et_test_begin(test, &et_cpu_step_map_i8);
  et_test_input(test, a, 1, &count);
  et_test_input(test, b, 1, &count);
  et_test_output(test, y, 1, &count);
  et_test_int(test, 11);
  et_test_float(test, 0.021f);
  et_test_int(test, 70);
  et_test_float(test, 0.043f);
  et_test_float(test, 17.0f);
  et_test_int(test, 40);
  et_test_int(test, 3);
  et_test_int(test, 115);
}

static float number(const et_cpu_tensor *x, int32_t i, float zero_point,
                    float scale) {
  const uint8_t byte = ((const uint8_t *)x->data)[i];
  return ((x->dtype == I8 ? (float)(int8_t)byte : (float)byte) - zero_point) *
         scale;
}

static double element(const et_test_step *test, int32_t i) {
  const float sum = number(&test->tensors[0], i, 11.0f, 0.021f) +
                    number(&test->tensors[1], i, 70.0f, 0.043f);
  const float byte = rintf(sum * 17.0f) + 40.0f;
  return byte < 3 ? 3 : byte > 115 ? 115 : (double)byte;
}

static void check_sum(int32_t count, et_scalar_type a, et_scalar_type b,
                      et_scalar_type y) {
  et_test_step test;
  make(&test, count, a, b, y);
  double *expected = calloc((size_t)(2 * count + 1), sizeof(double));
  assert_non_null(expected);
  for (int32_t i = 0; i < count; i++) {
    expected[i] = element(&test, i);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_sums_are_rounded_once(void **state) {
  (void)state;
  for (int32_t count = 0; count < 70; count++) {
    check_sum(count, count % 2 == 0 ? I8 : U8, count % 3 == 0 ? I8 : U8,
              count % 5 == 0 ? I8 : U8);
  }
  check_sum(40000, I8, I8, I8);
}

static void test_what_does_not_fit_is_refused(void **state) {
  (void)state;
  et_test_step test;
  make(&test, 3, I8, U8, I8);
  test.attributes[0] = 128;
  et_test_refused(&test, "map_i8: attribute 0 is 128, expected -128 to 127");
  test.attributes[0] = 0;
  test.tensors[1].numel = 4;
  et_test_refused(&test, "tensor 1 has 4 elements, expected 3");
  test.tensors[1].numel = 3;
  test.attributes[4] = 0xbf800000;
  et_test_refused(&test, "attribute 4 is no positive number");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_are_rounded_once),
      cmocka_unit_test(test_what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
