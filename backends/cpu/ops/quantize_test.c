#include "backends/cpu/schema/quantize.h"
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
  et_test_begin(test, &et_cpu_op_quantize);
  et_test_input(test, F32, 1, &count);
  et_test_output(test, dtype, 1, &count);
  et_test_float(test, 90.0f);
  et_test_int(test, 30);
  et_test_int(test, 1);
  et_test_int(test, 120);
}

static double element(float x) {
  const float byte = rintf(x * 90.0f) + 30.0f;
  return byte < 1 ? 1 : byte > 120 ? 120 : (double)byte;
}

static void check_quantize(int32_t count, et_scalar_type dtype) {
  et_test_op test;
  make(&test, count, dtype);
  double *expected = calloc((size_t)(2 * count + 1), sizeof(double));
  assert_non_null(expected);
  float *x = test.tensors[0].data;
  for (int32_t i = 0; i < count; i++) {
    x[i] = i % 5 == 0 ? ((float)et_test_below(200) - 99.5f) / 90.0f : x[i];
    x[i] = i % 31 == 30 ? (i % 2 == 0 ? INFINITY : -1e30f) : x[i];
    expected[i] = element(x[i]);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_quantizes_to_the_nearest_value(void **state) {
  (void)state;
  for (int32_t count = 0; count < 70; count++) {
    check_quantize(count, count % 2 == 0 ? I8 : U8);
  }
  check_quantize(40000, U8);
}

static void test_rejects_quantization_outside_the_dtype(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 3, I8);
  test.op.attribute_count = 5;
  et_test_refused(&test, "quantize: 5 attributes");
  test.op.attribute_count = 4;
  test.attributes[0] = 0x7f800000;
  et_test_refused(&test, "quantize: attribute 0 is not a positive number");
  test.attributes[0] = 0x3f800000;
  test.attributes[3] = 128;
  et_test_refused(&test,
                  "quantized value of tensor 1 is 128, expected -128 to 127");
  test.attributes[3] = 1;
  test.attributes[1] = (uint32_t)-129;
  et_test_refused(&test, "quantized value of tensor 1 is -129");
  test.attributes[1] = 0;
  test.attributes[2] = 0x80000000;
  et_test_refused(&test, "quantized value of tensor 1 is -2147483648");
  test.attributes[2] = 0;
  test.tensors[0].numel = 4;
  et_test_refused(&test, "tensor 0 has 4 elements, expected 3");
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT16;
  et_test_refused(&test, "tensor 1 is int16, expected uint8 or int8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantizes_to_the_nearest_value),
      cmocka_unit_test(test_rejects_quantization_outside_the_dtype),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
