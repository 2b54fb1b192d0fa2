#include "backends/xnnpack/runtime/value.h"

/* required by cmocka.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/**/
#include <cmocka.h>

static void test_counts_elements(void **state) {
  (void)state;
  const et_xnn_dims scalar = {.rank = 0};
  const et_xnn_dims matrix = {.rank = 2, .sizes = {3, 5}};
  const et_xnn_dims empty = {.rank = 2, .sizes = {0, 5}};
  size_t count = 0;
  assert_true(et_xnn_count(&scalar, &count));
  assert_int_equal(count, 1);
  assert_true(et_xnn_count(&matrix, &count));
  assert_int_equal(count, 15);
  assert_true(et_xnn_count(&empty, &count));
  assert_int_equal(count, 0);
}

static void test_rejects_too_many_elements(void **state) {
  (void)state;
  const et_xnn_dims many = {.rank = 2, .sizes = {INT32_MAX, 2}};
  const et_xnn_dims negative = {.rank = 1, .sizes = {-1}};
  size_t count = 0;
  assert_false(et_xnn_count(&many, &count));
  assert_false(et_xnn_count(&negative, &count));
}

/* 2^29 elements of int64 have 2^32 bytes. */
static void test_sizes_in_bytes_fit_in_size_t(void **state) {
  (void)state;
  const et_xnn_dims large = {.rank = 1, .sizes = {1 << 29}};
  size_t count = 0;
  assert_int_equal(et_xnn_count(&large, &count), sizeof(size_t) > 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts_elements),
      cmocka_unit_test(test_rejects_too_many_elements),
      cmocka_unit_test(test_sizes_in_bytes_fit_in_size_t),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
