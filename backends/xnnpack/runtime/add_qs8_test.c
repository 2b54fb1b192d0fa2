#include "backends/cpu/schema/add_qs8.h"
#include "backends/cpu/ops/testing_qs8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct sum {
  int32_t factors[2];
  int32_t zero_points[2];
  int32_t shift;
  int32_t zero_point;
  int32_t low;
  int32_t high;
  et_scalar_type dtype;
} sum;

static void make(et_test_op *test, const sum *s, int32_t count) {
  const int32_t sizes[4] = {1, 1, 1, count};
  et_test_begin(test, &et_xnn_op_add_qs8);
  et_test_input(test, s->dtype, 4, sizes);
  et_test_input(test, s->dtype, 4, sizes);
  et_test_output(test, s->dtype, 4, sizes);
  et_test_int(test, s->factors[0]);
  et_test_int(test, s->factors[1]);
  et_test_int(test, s->zero_points[0]);
  et_test_int(test, s->zero_points[1]);
  et_test_int(test, s->shift);
  et_test_int(test, s->zero_point);
  et_test_int(test, s->low);
  et_test_int(test, s->high);
}

static double element(const et_test_op *test, const void *shape,
                      const et_test_place *at) {
  const sum *s = shape;
  const size_t i = (size_t)at->channel;
  int64_t total = INT64_C(1) << (s->shift - 1);
  for (int k = 0; k < 2; k++) {
    total += (int64_t)s->factors[k] *
             (et_test_byte(&test->tensors[k], i) - s->zero_points[k]);
  }
  const int64_t byte = (total >> s->shift) + s->zero_point;
  return (double)(byte < s->low ? s->low : byte > s->high ? s->high : byte);
}

static void check_sum(const sum *s, int32_t count) {
  et_test_op test;
  make(&test, s, count);
  et_test_run_exact(&test, s, element);
  et_test_end(&test);
}

static const sum int8_sum = {{1583000, 724511},  {-7, 12}, 21, -3, -128, 127,
                             ET_SCALAR_TYPE_INT8};

static void test_rounds_sums_once_for_every_count(void **state) {
  const sum uint8_difference = {{700123, -1999999},  {130, 40}, 20, 99, 17, 230,
                                ET_SCALAR_TYPE_UINT8};
  (void)state;
  for (int32_t count = 0; count < 70; count++) {
    check_sum(&int8_sum, count);
    check_sum(&uint8_difference, count);
  }
  check_sum(&int8_sum, 40000);
}

static void test_clamps_large_sums(void **state) {
  const sum large = {{2000000, 1900000}, {0, 0}, 12, 5, -100, 90,
                     ET_SCALAR_TYPE_INT8};
  (void)state;
  check_sum(&large, 1000);
}

static void test_rejects_invalid_ops(void **state) {
  et_test_op test;
  (void)state;
  make(&test, &int8_sum, 6);
  test.attributes[0] = (1 << 21) + 1;
  et_test_refused(&test, "attribute 0 is 2097153, expected");
  test.attributes[0] = 1;
  test.attributes[4] = 0;
  et_test_refused(&test, "attribute 4 is 0, expected 1 to 30");
  test.attributes[4] = 31;
  et_test_refused(&test, "attribute 4 is 31, expected 1 to 30");
  test.attributes[4] = 20;
  test.attributes[7] = 256;
  et_test_refused(&test, "attribute 7 is 256, expected -128 to 255");
  test.attributes[7] = 127;
  test.tensors[1].numel = 5;
  et_test_refused(&test, "tensor 1 has 5 elements, expected 6");
  test.tensors[1].numel = 6;
  test.tensors[1].dtype = ET_SCALAR_TYPE_UINT8;
  et_test_refused(&test, "tensor 1 is");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounds_sums_once_for_every_count),
      cmocka_unit_test(test_clamps_large_sums),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
