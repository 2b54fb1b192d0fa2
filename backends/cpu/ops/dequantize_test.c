#include "backends/cpu/schema/dequantize.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

static void make(et_test_op *test, int32_t count, et_scalar_type dtype) {
  et_test_begin(test, &et_cpu_op_dequantize);
  et_test_input(test, dtype, 1, &count);
  et_test_output(test, F32, 1, &count);
  et_test_int(test, 9);
  et_test_float(test, 0.37f);
}

static void check_dequantize(int32_t count, et_scalar_type dtype) {
  et_test_op test;
  make(&test, count, dtype);
  double *expected = calloc((size_t)(2 * count + 1), sizeof(double));
  assert_non_null(expected);
  const uint8_t *x = test.tensors[0].data;
  for (int32_t i = 0; i < count; i++) {
    const float byte = dtype == I8 ? (float)(int8_t)x[i] : (float)x[i];
    expected[i] = (double)((byte - 9.0f) * 0.37f);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_dequantizes_int8_and_uint8(void **state) {
  (void)state;
  for (int32_t count = 0; count < 70; count++) {
    check_dequantize(count, count % 2 == 0 ? I8 : U8);
  }
  check_dequantize(40000, U8);
}

static void test_rejects_zero_points_outside_the_dtype(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 3, U8);
  test.attributes[0] = 256;
  et_test_refused(
      &test,
      "dequantize: quantized value of tensor 0 is 256, expected 0 to 255");
  test.attributes[0] = 0xffffffff;
  et_test_refused(&test, "quantized value of tensor 0 is -1, expected 0");
  test.attributes[0] = 255;
  test.op.attribute_count = 1;
  et_test_refused(&test, "dequantize: 1 attributes, expected 2");
  test.op.attribute_count = 2;
  test.tensors[1].numel = 4;
  et_test_refused(&test, "tensor 1 has 4 elements, expected 3");
  test.tensors[0].dtype = F32;
  et_test_refused(&test, "tensor 0 is float32, expected uint8 or int8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dequantizes_int8_and_uint8),
      cmocka_unit_test(test_rejects_zero_points_outside_the_dtype),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
