#include "backends/cpu/schema/lut_qs8.h"
#include "backends/cpu/ops/testing_qs8.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void make(et_test_op *test, int32_t count, et_scalar_type x,
                 et_scalar_type y) {
  const int32_t sizes[4] = {1, 1, 1, count};
  const int32_t entries = 256;
  et_test_begin(test, &et_cpu_op_lut_qs8);
  et_test_input(test, x, 4, sizes);
  et_test_input(test, y, 1, &entries);
  et_test_output(test, y, 4, sizes);
}

static double element(const et_test_op *test, const void *shape,
                      const et_test_place *at) {
  (void)shape;
  const int32_t x = et_test_byte(&test->tensors[0], (size_t)at->channel);
  return et_test_byte(&test->tensors[1], (size_t)(x & 255));
}

static void test_looks_up_values_by_their_bits(void **state) {
  (void)state;
  const int32_t counts[] = {0, 1, 300, 16384, 40000};
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    et_test_op test;
    make(&test, counts[i],
         i % 2 == 0 ? ET_SCALAR_TYPE_INT8 : ET_SCALAR_TYPE_UINT8,
         i % 3 == 0 ? ET_SCALAR_TYPE_INT8 : ET_SCALAR_TYPE_UINT8);
    et_test_run_exact(&test, NULL, element);
    et_test_end(&test);
  }
}

static void test_rejects_invalid_lookup_tables(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 3, ET_SCALAR_TYPE_INT8, ET_SCALAR_TYPE_UINT8);
  test.tensors[1].numel = 255;
  et_test_refused(&test, "lut_qs8: tensor 1 has 255 elements, expected 256");
  test.tensors[1].numel = 256;
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT8;
  et_test_refused(&test, "lut_qs8: tensor 1 is int8, expected uint8");
  test.tensors[1].dtype = ET_SCALAR_TYPE_UINT8;
  test.tensors[0].numel = 2;
  et_test_refused(&test, "lut_qs8: tensor 0 has 2 elements, expected 3");
  test.tensors[0].dtype = ET_SCALAR_TYPE_FLOAT32;
  et_test_refused(&test, "tensor 0 is float32, expected uint8 or int8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_looks_up_values_by_their_bits),
      cmocka_unit_test(test_rejects_invalid_lookup_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
