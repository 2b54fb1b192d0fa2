/* Tests two methods of a program that share state, through the typed header. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include SHARED_SUM_HEADER

static tests_feature_models_shared_sum_put_memory put_memory;
static tests_feature_models_shared_sum_take_memory take_memory;
static tests_feature_models_shared_sum_state shared;

static tests_feature_models_shared_sum_put_method putter;
static tests_feature_models_shared_sum_take_method taker;

static int load_putter(void **state) {
  (void)state;
  shared =
      (tests_feature_models_shared_sum_state){.state = {.program = {NULL, 0}}};
  assert_int_equal(tests_feature_models_shared_sum_put_load(
                       &put_memory, NULL, &shared, &putter, NULL),
                   ET_STATUS_OK);
  return 0;
}

static void load_taker(void) {
  assert_int_equal(tests_feature_models_shared_sum_take_load(
                       &take_memory, NULL, &shared, &taker, NULL),
                   ET_STATUS_OK);
}

/* Adds `value` to the state, and returns the first of the four sums. */
static float put(float value) {
  const float x[4] = {value, 0, 0, 0};
  const float *sum = NULL;
  assert_int_equal(tests_feature_models_shared_sum_put_set_x(putter, x, NULL),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_shared_sum_put_execute(putter, NULL),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_shared_sum_put_get_output_0(putter, &sum, NULL),
      ET_STATUS_OK);
  return sum[0];
}

static float take(float value) {
  const float x[4] = {value, 0, 0, 0};
  const float *sum = NULL;
  assert_int_equal(tests_feature_models_shared_sum_take_set_x(taker, x, NULL),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_shared_sum_take_execute(taker, NULL),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_shared_sum_take_get_output_0(taker, &sum, NULL),
      ET_STATUS_OK);
  return sum[0];
}

static void test_state_written_by_one_method_is_read_by_the_other(
    void **state) {
  (void)state;
  load_taker();
  assert_true(put(8) == 9);
  assert_true(take(3) == 6);
  assert_true(put(1) == 7);
}

static void test_later_loaded_method_finds_the_shared_state(void **state) {
  (void)state;
  assert_true(put(8) == 9);
  load_taker();
  assert_true(take(2) == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(
          test_state_written_by_one_method_is_read_by_the_other, load_putter),
      cmocka_unit_test_setup(test_later_loaded_method_finds_the_shared_state,
                             load_putter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
