#include "kernels/author/float16.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_every_float16_survives_a_round_trip(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
    const float value = et_float16_to_float((uint16_t)bits);
    if (isnan(value)) {
      assert_true(isnan(et_float16_to_float(et_float_to_float16(value))));
    } else {
      assert_int_equal(et_float_to_float16(value), bits);
    }
  }
}

static void test_every_bfloat16_survives_a_round_trip(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
    const float value = et_bfloat16_to_float((uint16_t)bits);
    if (isnan(value)) {
      assert_true(isnan(et_bfloat16_to_float(et_float_to_bfloat16(value))));
    } else {
      assert_int_equal(et_float_to_bfloat16(value), bits);
    }
  }
}

static void test_float16_rounds_to_nearest_even(void **state) {
  (void)state;
  assert_int_equal(et_float_to_float16(2049.0f),
                   0x6800); /* tie, down to 2048 */
  assert_int_equal(et_float_to_float16(2051.0f), 0x6802); /* tie, up to 2052 */
  assert_int_equal(et_float_to_float16(65519.0f), 0x7bff);
  assert_int_equal(et_float_to_float16(65520.0f), 0x7c00);
  assert_int_equal(et_float_to_float16(-1e9f), 0xfc00);
  assert_int_equal(et_float_to_float16(0x1p-24f), 0x0001);
  assert_int_equal(et_float_to_float16(0x1p-25f), 0x0000); /* tie, to zero */
  assert_int_equal(et_float_to_float16(0x1.8p-25f), 0x0001);
  assert_int_equal(et_float_to_float16(-0.0f), 0x8000);
}

static void test_bfloat16_rounds_to_nearest_even(void **state) {
  (void)state;
  assert_int_equal(et_float_to_bfloat16(0x1.01p0f), 0x3f80);
  assert_int_equal(et_float_to_bfloat16(0x1.03p0f), 0x3f82);
  assert_int_equal(et_float_to_bfloat16(3.4e38f), 0x7f80);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_float16_survives_a_round_trip),
      cmocka_unit_test(test_every_bfloat16_survives_a_round_trip),
      cmocka_unit_test(test_float16_rounds_to_nearest_even),
      cmocka_unit_test(test_bfloat16_rounds_to_nearest_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
