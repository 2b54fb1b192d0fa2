#include "executorch/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "executorch/number_text.h"
#include "runtime/core/format.h"

static void test_every_status_has_a_name_and_a_message(void **state) {
  (void)state;
  assert_string_equal(et_status_name(ET_STATUS_INVALID_PROGRAM),
                      "INVALID_PROGRAM");
  assert_string_equal(et_status_text(ET_STATUS_OK), "success");
  assert_string_equal(et_status_name((et_status)0x99), "UNKNOWN");
}

static void test_format_supports_every_conversion(void **state) {
  (void)state;
  char text[160];
  et_format(text, sizeof text, "%s %d %u %lld %llu %zu %x %%", "a", -7, 7u,
            (long long)INT64_MIN, (unsigned long long)UINT64_MAX, (size_t)42,
            0xBEEFu);
  assert_string_equal(
      text, "a -7 7 -9223372036854775808 18446744073709551615 42 beef %");
}

static void test_format_accepts_long_and_size_t(void **state) {
  (void)state;
  char text[160];
  et_format(text, sizeof text, "%ld %lu %lx %zd %zx %llx", -8L, 8ul, 0xFul,
            (ptrdiff_t)-9, (size_t)0xAB, 0xFFFFFFFFFFull);
  assert_string_equal(text, "-8 8 f -9 ab ffffffffff");
  char expected[160];
  et_format(text, sizeof text, "%zu %zd", SIZE_MAX, PTRDIFF_MIN);
  snprintf(expected, sizeof expected, "%zu %td", SIZE_MAX, PTRDIFF_MIN);
  assert_string_equal(text, expected);
  et_format(text, sizeof text, "%lu %ld", ULONG_MAX, LONG_MIN);
  snprintf(expected, sizeof expected, "%lu %ld", ULONG_MAX, LONG_MIN);
  assert_string_equal(text, expected);
}

/* Expects the text that the C library's %g produces. */
static void expect_double(double number) {
  char expected[32];
  char text[ET_NUMBER_TEXT_BYTES];
  snprintf(expected, sizeof expected, "%g", number);
  assert_string_equal(et_number_text(text, number), expected);
}

static void test_doubles_print_six_digits(void **state) {
  (void)state;
  const double numbers[] = {
      0,
      1,
      -1,
      0.5,
      1.5,
      1e5,
      123456,
      999999,
      1e6,
      1234567,
      9999995,
      999999.4,
      999999.6,
      0.0001,
      0.00001,
      0.0001234,
      1e-5,
      1.25e-7,
      3.14159265358979,
      2.0 / 3,
      1e15,
      1e16,
      1e22,
      1e100,
      1e300,
      DBL_MAX,
      DBL_MIN,
      -DBL_MAX,
      4.94e-324,
      100,
      100000.5,
      65504,
      16777217,
      0.1,
      -0.0,
      INFINITY,
      -INFINITY,
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    expect_double(numbers[i]);
  }
  assert_string_equal(ET_NUMBER_TEXT((double)NAN), "nan");
}

static void test_doubles_of_every_magnitude_print(void **state) {
  (void)state;
  for (int exponent = -1022; exponent < 1024; exponent++) {
    expect_double(ldexp(1.2345678, exponent));
    expect_double(ldexp(-1.9999999, exponent));
  }
}

/* From an unknown conversion on, argument sizes are unknown. */
static void test_unknown_conversion_is_printed_verbatim(void **state) {
  (void)state;
  char text[32];
  /* Hidden from the compiler's format check. */
  const char *volatile format = "%d %5d %s";
  et_format(text, sizeof text, format, 1, 2, "a");
  assert_string_equal(text, "1 %5d %s");
  format = "%ls %d";
  et_format(text, sizeof text, format, L"a", 1);
  assert_string_equal(text, "%ls %d");
  format = "%d%";
  et_format(text, sizeof text, format, 1);
  assert_string_equal(text, "1%");
  format = "%Lg %s";
  et_format(text, sizeof text, format, 1.0L, "a");
  assert_string_equal(text, "%Lg %s");
}

static void test_null_text_is_printed_as_null(void **state) {
  (void)state;
  char text[16];
  const char *volatile none = NULL; /* hidden from the compiler's NULL check */
  et_format(text, sizeof text, "%s", none);
  assert_string_equal(text, "(null)");
}

static void test_long_message_is_truncated_at_a_whole_character(void **state) {
  (void)state;
  char text[6];
  assert_int_equal(et_format(text, sizeof text, "%s", "abc\xC3\xA9"), 5);
  assert_string_equal(text, "abc\xC3\xA9");
  assert_int_equal(et_format(text, sizeof text, "%s", "abcd\xC3\xA9"), 4);
  assert_string_equal(text, "abcd");
  assert_int_equal(et_format(text, sizeof text, "%s", "ab\xE2\x82\xAC\xE2"), 5);
  assert_string_equal(text, "ab\xE2\x82\xAC");
}

static void test_first_failure_is_preserved(void **state) {
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

static void test_failure_without_an_error_object_is_allowed(void **state) {
  (void)state;
  assert_int_equal(et_fail(NULL, ET_STATUS_INTERNAL, "%d", 1),
                   ET_STATUS_INTERNAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_status_has_a_name_and_a_message),
      cmocka_unit_test(test_format_supports_every_conversion),
      cmocka_unit_test(test_format_accepts_long_and_size_t),
      cmocka_unit_test(test_doubles_print_six_digits),
      cmocka_unit_test(test_doubles_of_every_magnitude_print),
      cmocka_unit_test(test_unknown_conversion_is_printed_verbatim),
      cmocka_unit_test(test_null_text_is_printed_as_null),
      cmocka_unit_test(test_long_message_is_truncated_at_a_whole_character),
      cmocka_unit_test(test_first_failure_is_preserved),
      cmocka_unit_test(test_failure_without_an_error_object_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
