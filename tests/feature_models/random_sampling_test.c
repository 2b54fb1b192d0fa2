/* Tests that random numbers depend only on the state that the caller
 * provides. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/feature_models/random_sampling_app.h"

static const float kScores[40] = {1, 2, 3};

static void test_a_seed_repeats_the_samples_of_all_runs(void **state) {
  (void)state;
  int64_t first[8];
  int64_t second[8];
  int64_t again[8];
  int64_t other[8];
  assert_int_equal(sample_twice(7, kScores, first, second, NULL), ET_STATUS_OK);
  assert_int_equal(sample_twice(7, kScores, again, second, NULL), ET_STATUS_OK);
  assert_memory_equal(first, again, sizeof first);
  assert_memory_not_equal(first, second, sizeof first);
  assert_int_equal(sample_twice(8, kScores, other, second, NULL), ET_STATUS_OK);
  assert_memory_not_equal(first, other, sizeof first);
}

static void test_sampling_without_a_random_state_fails(void **state) {
  (void)state;
  random_sampling_forward_method method = {NULL};
  et_error error = ET_ERROR_INIT;
  assert_int_equal(random_sampling_forward_load(&memory, NULL, &method, &error),
                   ET_STATUS_OK);
  assert_int_equal(random_sampling_forward_set_scores(method, kScores, &error),
                   ET_STATUS_OK);
  assert_int_equal(random_sampling_forward_execute(method, &error),
                   ET_STATUS_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_seed_repeats_the_samples_of_all_runs),
      cmocka_unit_test(test_sampling_without_a_random_state_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
