/* Tests that the error codes of a backend name its source file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "backends/demo/payload.h"

static void test_error_code_of_a_payload_names_the_source(void **state) {
  (void)state;
  char file[8];
  snprintf(file, sizeof file, "%04x:", (unsigned)EXPECTED_FILE_ID);
  assert_string_not_equal(file, "0000:");
  et_error error;
  et_error_clear(&error);
  demo_reader reader;
  const et_span payload = {(const uint8_t *)"x", 1};
  assert_int_equal(demo_reader_open(payload, &error, &reader),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
  assert_memory_equal(error.message, file, strlen(file));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error_code_of_a_payload_names_the_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
