#include "executorch/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/core/format.h"

static void test_every_status_has_a_name_and_a_sentence(void **state) {
  (void)state;
  assert_string_equal(et_status_name(ET_STATUS_INVALID_PROGRAM),
                      "INVALID_PROGRAM");
  assert_string_equal(et_status_text(ET_STATUS_OK), "success");
  assert_string_equal(et_status_name((et_status)0x99), "UNKNOWN");
}

static void test_format_writes_every_conversion(void **state) {
  (void)state;
  char text[160];
  et_format(text, sizeof text, "%s %d %u %lld %llu %zu %x %%", "a", -7, 7u,
            (long long)INT64_MIN, (unsigned long long)UINT64_MAX, (size_t)42,
            0xBEEFu);
  assert_string_equal(
      text, "a -7 7 -9223372036854775808 18446744073709551615 42 beef %");
}

static void test_null_text_is_written_as_such(void **state) {
  (void)state;
  char text[16];
  const char *volatile none = NULL; /* hides it from the compiler's check */
  et_format(text, sizeof text, "%s", none);
  assert_string_equal(text, "(null)");
}

static void test_long_message_is_cut_at_a_whole_character(void **state) {
  (void)state;
  char text[6];
  assert_int_equal(et_format(text, sizeof text, "%s", "abc\xC3\xA9"), 5);
  assert_string_equal(text, "abc\xC3\xA9");
  assert_int_equal(et_format(text, sizeof text, "%s", "abcd\xC3\xA9"), 4);
  assert_string_equal(text, "abcd");
  assert_int_equal(et_format(text, sizeof text, "%s", "ab\xE2\x82\xAC\xE2"), 5);
  assert_string_equal(text, "ab\xE2\x82\xAC");
}

static void test_m26_first_failure_is_kept(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
  assert_int_equal(et_fail(&error, ET_STATUS_NOT_FOUND, "first"),
                   ET_STATUS_NOT_FOUND);
  assert_int_equal(et_fail(&error, ET_STATUS_INTERNAL, "second"),
                   ET_STATUS_INTERNAL);
  assert_int_equal(error.status, ET_STATUS_NOT_FOUND);
  assert_string_equal(error.message, "first");
}

static void test_failing_without_an_error_object_is_allowed(void **state) {
  (void)state;
  assert_int_equal(et_fail(NULL, ET_STATUS_INTERNAL, "%d", 1),
                   ET_STATUS_INTERNAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_status_has_a_name_and_a_sentence),
      cmocka_unit_test(test_format_writes_every_conversion),
      cmocka_unit_test(test_null_text_is_written_as_such),
      cmocka_unit_test(test_long_message_is_cut_at_a_whole_character),
      cmocka_unit_test(test_m26_first_failure_is_kept),
      cmocka_unit_test(test_failing_without_an_error_object_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
