// Tests that cmocka links and reports failures; all C tests depend on it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_assertions_compare(void **state) {
  (void)state;
  assert_int_equal(1 + 1, 2);
  assert_string_equal("cmocka", "cmocka");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_assertions_compare),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
