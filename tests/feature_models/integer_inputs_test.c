/* Tests integer inputs and ranges of sizes through the functions of a typed
 * header. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/feature_models/integer_inputs_cc.h"

#define FORWARD(name) tests_feature_models_integer_inputs_forward_##name

static FORWARD(memory) memory;
static const float ROWS[9 * 3] = {1, 2, 3, 4, 5, 6};

static et_status set_rows(FORWARD(method) method, int32_t rows, int32_t columns,
                          et_error *error) {
  const int32_t sizes[2] = {rows, columns};
  et_error_clear(error);
  return FORWARD(set_x)(method, ROWS, (size_t)(rows * columns), sizes, error);
}

static void test_each_call_has_integers_of_its_own(void **state) {
  (void)state;
  FORWARD(method) method = {NULL};
  et_error error = {ET_STATUS_OK, ""};
  const float *rows = NULL;
  const int32_t *sizes = NULL;
  size_t element_count = 0;
  assert_int_equal(FORWARD(load)(&memory, NULL, &method, &error), ET_STATUS_OK);
  for (int32_t count = 1; count <= 3; count++) {
    assert_int_equal(set_rows(method, 6, 3, &error), ET_STATUS_OK);
    assert_int_equal(FORWARD(set_start)(method, 3, &error), ET_STATUS_OK);
    assert_int_equal(FORWARD(set_count)(method, count, &error), ET_STATUS_OK);
    assert_int_equal(FORWARD(set_scale)(method, 0, &error), ET_STATUS_OK);
    assert_int_equal(FORWARD(execute)(method, &error), ET_STATUS_OK);
    assert_int_equal(
        FORWARD(get_output_0)(method, &rows, &element_count, &sizes, &error),
        ET_STATUS_OK);
    assert_int_equal(sizes[0], count);
    assert_int_equal(element_count, 2 * count);
    const float *last = rows + 2 * (count - 1);
    assert_true(last[0] == (float)(count - 1));
  }
}

static void test_values_outside_the_ranges_are_refused(void **state) {
  (void)state;
  FORWARD(method) method = {NULL};
  et_error error = {ET_STATUS_OK, ""};
  assert_int_equal(FORWARD(load)(&memory, NULL, &method, &error), ET_STATUS_OK);
  assert_int_equal(FORWARD(set_start)(method, 4, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(error.message,
                      "inputs[1]: 4 is out of range; pass 0 to 3");
  assert_int_equal(FORWARD(set_scale)(method, -1, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_int_equal(set_rows(method, 5, 3, &error), ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(
      error.message, "inputs[0]: size 5 of dim 0 is out of range; pass 6 to 8");
  assert_int_equal(set_rows(method, 9, 3, &error), ET_STATUS_NOT_SUPPORTED);
  assert_int_equal(set_rows(method, 6, 1, &error), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "inputs[0]: size 1 of dim 1 is invalid; pass 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_call_has_integers_of_its_own),
      cmocka_unit_test(test_values_outside_the_ranges_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
