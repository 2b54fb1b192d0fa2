#include "backends/cpu/schema/binary_qs8.h"
#include "backends/cpu/ops/testing_qs8.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

typedef struct pair {
  int32_t sizes[4];
  bool is_row; /* b has only the last dimension of a */
  bool is_gemm;
  et_scalar_type a, b, y;
} pair;

static const et_cpu_output_quantization output_quantization = {17.0f, 40, 3,
                                                               115};

static void make(et_test_op *test, const pair *p) {
  const int32_t row[4] = {1, 1, 1, p->sizes[3]};
  et_test_begin(test, &et_cpu_op_binary_qs8);
  et_test_input(test, p->a, 4, p->sizes);
  et_test_input(test, p->b, 4, p->is_row ? row : p->sizes);
  et_test_output(test, p->y, 4, p->sizes);
  et_test_int(test, p->is_gemm);
  et_test_int(test, 11);
  et_test_float(test, 0.021f);
  et_test_int(test, 70);
  et_test_float(test, 0.043f);
  et_test_quantizing(test, &output_quantization);
}

static double element(const et_test_op *test, const void *shape,
                      const et_test_place *at) {
  const pair *p = shape;
  const int32_t *sizes = p->sizes;
  const int32_t pixel = (at->image * sizes[1] + at->y) * sizes[2] + at->x;
  const int32_t i = pixel * sizes[3] + at->channel;
  const int32_t j = p->is_row ? at->channel : i;
  const float a =
      (float)(et_test_byte(&test->tensors[0], (size_t)i) - 11) * 0.021f;
  const float b =
      (float)(et_test_byte(&test->tensors[1], (size_t)j) - 70) * 0.043f;
  return et_test_quantized(&output_quantization, p->is_gemm ? a * b : a + b);
}

static void check_pair(const pair *p) {
  et_test_op test;
  make(&test, p);
  et_test_run_exact(&test, p, element);
  et_test_end(&test);
}

static void test_quantized_sums_and_products_are_rounded_once(void **state) {
  (void)state;
  for (int32_t count = 0; count < 70; count++) {
    const pair p = {{1, 1, 1, count},         false,
                    count % 7 == 0,           count % 2 == 0 ? I8 : U8,
                    count % 3 == 0 ? I8 : U8, count % 5 == 0 ? I8 : U8};
    check_pair(&p);
  }
  const pair large = {{1, 1, 1, 40000}, false, false, I8, I8, I8};
  check_pair(&large);
}

static void test_broadcasts_a_row_to_the_first_operand(void **state) {
  (void)state;
  const int32_t columns[] = {1, 15, 16, 40, 20000};
  for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
    for (int is_gemm = 0; is_gemm < 2; is_gemm++) {
      const pair p = {{2, 3, 5, columns[i]}, true, is_gemm == 1, I8, U8, I8};
      check_pair(&p);
    }
  }
}

static void test_rejects_operands_that_cannot_be_broadcast(void **state) {
  (void)state;
  const pair p = {{1, 1, 2, 3}, true, false, I8, U8, I8};
  et_test_op test;
  make(&test, &p);
  test.attributes[0] = 2;
  et_test_refused(&test, "binary_qs8: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 1;
  test.attributes[1] = 128;
  et_test_refused(&test,
                  "quantized value of tensor 0 is 128, expected -128 to 127");
  test.attributes[1] = 0;
  test.tensors[2].numel = 7;
  et_test_refused(&test, "tensor 0 has 6 elements, expected 7");
  test.tensors[2].numel = 6;
  test.tensors[1].sizes[1] = 2;
  et_test_refused(&test, "3 elements cannot be broadcast to 6");
  test.tensors[1].sizes[1] = 1;
  test.tensors[1].sizes[3] = 4;
  et_test_refused(&test, "cannot be broadcast");
  test.tensors[1].sizes[3] = 3;
  test.attributes[3] = 0xffffffff;
  et_test_refused(&test, "quantized value of tensor 1 is -1, expected 0");
  test.attributes[3] = 0;
  test.attributes[8] = 128;
  et_test_refused(&test, "quantized value of tensor 2 is 128");
  test.attributes[8] = 0;
  test.attributes[5] = 0xbf800000;
  et_test_refused(&test, "attribute 5 is not a positive number");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantized_sums_and_products_are_rounded_once),
      cmocka_unit_test(test_broadcasts_a_row_to_the_first_operand),
      cmocka_unit_test(test_rejects_operands_that_cannot_be_broadcast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
