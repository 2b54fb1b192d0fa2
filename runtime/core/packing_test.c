/* Tests that packed and plain texts produce the same messages. */
#include "runtime/core/packing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "executorch/scalar_type.h"
#include "executorch/value.h"
#include "runtime/core/says.h"

/* Texts of the core. The table does not include texts of tests. */
#define KNOWN_FORMAT "%s[%zu]: the method has %u"
#define KNOWN_WORD "inputs"
#define UNKNOWN_FORMAT "no source of the core says %s of %d"

static void test_a_known_text_is_a_number_and_another_stays(void **state) {
  (void)state;
#if ET_PACKS
  assert_true((uintptr_t)ET_SAYS(KNOWN_WORD) < ET_PACKED_COUNT);
  assert_int_not_equal(ET_PACKED_NUMBER(KNOWN_FORMAT), 0);
#endif
  assert_string_equal(ET_SAYS(UNKNOWN_FORMAT), UNKNOWN_FORMAT);
}

static void test_formats_and_arguments_mix(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
  et_fail(&error, ET_STATUS_NOT_FOUND, KNOWN_FORMAT, ET_SAYS(KNOWN_WORD),
          (size_t)3, 2U);
  assert_string_equal(error.message, "inputs[3]: the method has 2");
  et_error_clear(&error);
  et_fail(&error, ET_STATUS_NOT_FOUND, KNOWN_FORMAT, "plain %s", (size_t)3, 2U);
  assert_string_equal(error.message, "plain %s[3]: the method has 2");
  et_error_clear(&error);
  et_fail_program(&error, UNKNOWN_FORMAT, ET_SAYS(KNOWN_WORD), -1);
  assert_string_equal(error.message, "no source of the core says inputs of -1");
  et_error_clear(&error);
  const char *volatile nothing = NULL; /* hidden from compiler warnings */
  et_fail_program(&error, "%s, %s", ET_SAYS(KNOWN_WORD), nothing);
  assert_string_equal(error.message, "inputs, (null)");
}

static void test_more_is_told_behind_a_failure(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
  et_fail_program(&error, "%s", "a");
  et_tell_more(&error, ": %s", ET_SAYS(KNOWN_WORD));
  et_tell_more(NULL, "%s", "nobody hears");
  assert_string_equal(error.message, "a: inputs");
  for (int i = 0; i < ET_ERROR_MESSAGE_BYTES; i++) {
    et_tell_more(&error, "%s", ET_SAYS(KNOWN_WORD));
  }
  assert_int_equal(strlen(error.message), ET_ERROR_MESSAGE_BYTES - 1);
}

/* Returns a message that consists of a packed name. */
static const char *told(et_error *error, const char *says) {
  et_error_clear(error);
  (et_fail)(error, ET_STATUS_INTERNAL, "%s", says);
  return error->message;
}

static void test_codes_are_said_as_they_are_named(void **state) {
  (void)state;
  et_error error;
  for (int32_t code = -1; code < 256; code++) {
    assert_string_equal(told(&error, et_status_says((et_status)code)),
                        et_status_text((et_status)code));
    assert_string_equal(told(&error, et_value_tag_says(code)),
                        et_value_tag_name(code));
    assert_string_equal(told(&error, et_scalar_type_says(code)),
                        et_scalar_type_name(code));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_known_text_is_a_number_and_another_stays),
      cmocka_unit_test(test_formats_and_arguments_mix),
      cmocka_unit_test(test_more_is_told_behind_a_failure),
      cmocka_unit_test(test_codes_are_said_as_they_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
