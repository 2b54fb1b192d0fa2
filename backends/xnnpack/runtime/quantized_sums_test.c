/* Compares the sums with those of simple loops. */
#include "backends/xnnpack/runtime/quantized_sums.h"

/* required by cmocka.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/**/
#include <cmocka.h>
#include <string.h>

#define BYTES 3000

/* Fills `bytes` with one value, possibly an extreme one, or with random bytes. */
static void fill(uint8_t *bytes, unsigned kind) {
  const uint8_t same[] = {0xff, 0x7f, 0x80, 0x00, 0x08, 0xf0};
  uint32_t state = 1;
  for (size_t i = 0; i < BYTES; i++) {
    state = state * 1664525u + 1013904223u;
    bytes[i] = kind < sizeof same ? same[kind] : (uint8_t)(state >> 24);
  }
}

#define KINDS 7

static void test_sums_int8_values(void **state) {
  uint8_t bytes[BYTES];
  (void)state;
  for (unsigned kind = 0; kind < KINDS; kind++) {
    fill(bytes, kind);
    int32_t sum = 0;
    for (size_t count = 0; count < BYTES; sum += (int8_t)bytes[count++]) {
      assert_int_equal(et_xnn_sum_of_int8(bytes, count), sum);
    }
  }
}

static void test_sums_4_bit_values(void **state) {
  uint8_t bytes[BYTES];
  (void)state;
  for (unsigned kind = 0; kind < KINDS; kind++) {
    fill(bytes, kind);
    int32_t sum = 0;
    for (size_t i = 0; i < BYTES; i++) {
      assert_int_equal(et_xnn_sum_of_nibbles(bytes, 2 * i), sum);
      sum += (bytes[i] & 15) - 8 + (bytes[i] >> 4) - 8;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_int8_values),
      cmocka_unit_test(test_sums_4_bit_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
