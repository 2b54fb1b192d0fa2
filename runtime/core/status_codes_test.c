/* Tests errors in builds that replace messages with codes. */
#ifndef ET_MESSAGES_CODES
#define ET_MESSAGES_CODES
#endif
#define ET_FILE_ID 0x9dbd
#include "executorch/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>

#define FILE_ID "9dbd"

static void test_status_code_contains_file_line_and_index(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
#line 217
  assert_int_equal(et_fail(&error, ET_STATUS_NOT_FOUND, "a[%u] of %u", 17U, 3U),
                   ET_STATUS_NOT_FOUND);
  assert_string_equal(error.message, FILE_ID ":00d9:00000011");
  assert_int_equal(error.status, ET_STATUS_NOT_FOUND);
}

static void test_arguments_other_than_integers_give_index_0(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
#line 16
  et_fail(&error, ET_STATUS_NOT_FOUND, "no %s with %u", "method", 5U);
  assert_string_equal(error.message, FILE_ID ":0010:00000000");
  et_error_clear(&error);
#line 17
  et_fail(&error, ET_STATUS_NOT_FOUND, "nothing");
  assert_string_equal(error.message, FILE_ID ":0011:00000000");
}

static void test_wide_indices_are_truncated(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
#line 1
  et_fail(&error, ET_STATUS_NOT_FOUND, "%zu", (size_t)0x1234567890U);
  assert_string_equal(error.message, FILE_ID ":0001:34567890");
}

static void test_first_status_code_is_preserved_and_optional(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
  et_fail(&error, ET_STATUS_NOT_FOUND, "%d", 1);
  et_fail(&error, ET_STATUS_INTERNAL, "%d", 2);
  assert_int_equal(error.status, ET_STATUS_NOT_FOUND);
  assert_int_equal(et_fail(NULL, ET_STATUS_INTERNAL, "%d", 2),
                   ET_STATUS_INTERNAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_status_code_contains_file_line_and_index),
      cmocka_unit_test(test_arguments_other_than_integers_give_index_0),
      cmocka_unit_test(test_wide_indices_are_truncated),
      cmocka_unit_test(test_first_status_code_is_preserved_and_optional),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
