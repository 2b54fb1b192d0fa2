/* Tests a program with two planned buffers at addresses that the application
 * chooses. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/feature_models/two_arenas_cc.h"

static tests_feature_models_two_arenas_forward_memory memory;

static void test_large_tensors_are_in_the_second_buffer(void **state) {
  (void)state;
  /* Two tensors of shape [4, 256] are live at once. The first buffer has only
   * the narrow tensors. */
  assert_int_equal(TESTS_FEATURE_MODELS_TWO_ARENAS_FORWARD_PLANNED_1_BYTES,
                   2 * 4 * 256 * sizeof(float));
  assert_true(TESTS_FEATURE_MODELS_TWO_ARENAS_FORWARD_PLANNED_0_BYTES <=
              3 * 4 * 32 * sizeof(float));
}

static void test_both_planned_buffers_are_used(void **state) {
  (void)state;
  static const float kInput[4 * 32] = {1, -2, 3};
  tests_feature_models_two_arenas_forward_method method = {NULL};
  const float *output = NULL;
  assert_int_equal(tests_feature_models_two_arenas_forward_load(&memory, NULL,
                                                                &method, NULL),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_two_arenas_forward_set_x(method, kInput, NULL),
      ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_two_arenas_forward_execute(method, NULL),
      ET_STATUS_OK);
  assert_int_equal(tests_feature_models_two_arenas_forward_get_output_0(
                       method, &output, NULL),
                   ET_STATUS_OK);
  const float *wide = (const float *)memory.planned_1;
  int positive = 0;
  for (size_t i = 0; i < sizeof(memory.planned_1) / sizeof(float); ++i) {
    positive += wide[i] > 0;
  }
  assert_true(positive > 0);
  const uint8_t *result = (const uint8_t *)output;
  assert_true(result >= (const uint8_t *)memory.planned_0 &&
              result <
                  (const uint8_t *)memory.planned_0 + sizeof(memory.planned_0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_large_tensors_are_in_the_second_buffer),
      cmocka_unit_test(test_both_planned_buffers_are_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
