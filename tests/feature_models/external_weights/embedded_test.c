/* Tests two programs in one library with equal weights, which are linked only
 * once. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/feature_models/external_weights/embedded_cc.h"

static one_row_forward_memory one_memory;
static four_rows_forward_memory four_memory;

static void test_equal_weights_are_in_memory_once(void **state) {
  (void)state;
  /* The compiler assumes that arrays with different names are different. */
  const uint8_t *volatile one = one_row_weights_data;
  const uint8_t *volatile four = four_rows_weights_data;
  assert_ptr_equal(one, four);
  assert_string_equal(ONE_ROW_WEIGHTS_SHA256, FOUR_ROWS_WEIGHTS_SHA256);
  assert_true(ONE_ROW_PROGRAM_BYTES < ONE_ROW_WEIGHTS_BYTES);
}

static void test_both_programs_use_embedded_weights(void **state) {
  (void)state;
  static const float kRows[4 * 8] = {1, 2, 3, 4, 5, 6, 7, 8};
  one_row_forward_method one = {NULL};
  four_rows_forward_method four = {NULL};
  const float *first = NULL;
  const float *all = NULL;
  assert_int_equal(one_row_forward_load(&one_memory, NULL, &one, NULL),
                   ET_STATUS_OK);
  assert_int_equal(four_rows_forward_load(&four_memory, NULL, &four, NULL),
                   ET_STATUS_OK);
  assert_int_equal(one_row_forward_set_x(one, kRows, NULL), ET_STATUS_OK);
  assert_int_equal(four_rows_forward_set_x(four, kRows, NULL), ET_STATUS_OK);
  assert_int_equal(one_row_forward_execute(one, NULL), ET_STATUS_OK);
  assert_int_equal(four_rows_forward_execute(four, NULL), ET_STATUS_OK);
  assert_int_equal(one_row_forward_get_output_0(one, &first, NULL),
                   ET_STATUS_OK);
  assert_int_equal(four_rows_forward_get_output_0(four, &all, NULL),
                   ET_STATUS_OK);
  assert_memory_equal(first, all, 4 * sizeof *first);
  assert_memory_not_equal(all, all + 4, 4 * sizeof *all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_weights_are_in_memory_once),
      cmocka_unit_test(test_both_programs_use_embedded_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
