/* Tests that the recorder stores events with times of the caller's clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "executorch/recorder.h"

static uint64_t tick(void *context) {
  uint64_t *ticks = context;
  return (*ticks)++;
}

static const et_event delegate = {ET_EVENT_DELEGATE, 3, "Backend", NULL, 0};
static const et_event step = {ET_EVENT_STEP, 1, "step", NULL, 0};
static const et_event load = {ET_EVENT_METHOD_LOAD, 0, "forward", NULL, 0};

static et_recorder recorder;
static uint64_t ticks;

static et_observer start(void) {
  const et_clock clock = {tick, &ticks};
  ticks = 10;
  et_recorder_init(&recorder, clock);
  return et_recorder_observer(&recorder);
}

static void test_nested_events_keep_their_times(void **state) {
  (void)state;
  const et_observer it = start();
  it.begin(it.context, &delegate);
  it.begin(it.context, &step);
  it.end(it.context, &step, ET_STATUS_OK);
  it.end(it.context, &delegate, ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(recorder.count, 2);
  assert_int_equal(recorder.events[0].kind, ET_EVENT_DELEGATE);
  assert_int_equal(recorder.events[0].index, 3);
  assert_int_equal(recorder.events[0].begin, 10);
  assert_int_equal(recorder.events[0].end, 13);
  assert_int_equal(recorder.events[0].status, ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(recorder.events[1].name, "step");
  assert_int_equal(recorder.events[1].begin, 11);
  assert_int_equal(recorder.events[1].end, 12);
  et_recorder_free(&recorder);
}

static void test_unfinished_events_end_before_they_begin(void **state) {
  (void)state;
  const et_observer it = start();
  ticks = 1;
  it.begin(it.context, &delegate);
  assert_int_equal(recorder.count, 1);
  assert_true(recorder.events[0].end < recorder.events[0].begin);
  et_recorder_free(&recorder);
}

static void pass(const et_observer *it, et_event_kind kind, uint32_t index) {
  const et_event event = {kind, index, "next", NULL, 0};
  it->begin(it->context, &event);
  it->end(it->context, &event, ET_STATUS_OK);
}

static void test_next_event_starts_where_the_last_ended(void **state) {
  (void)state;
  const et_observer it = start();
  pass(&it, ET_EVENT_KERNEL, 0);
  pass(&it, ET_EVENT_KERNEL, 1); /* ends at 12 */
  pass(&it, ET_EVENT_KERNEL, 5); /* after a jump */
  et_recorder_clear(&recorder);
  pass(&it, ET_EVENT_KERNEL, 6); /* a new run */
  assert_int_equal(recorder.events[0].begin, 15);
  et_recorder_free(&recorder);
  const et_observer again = start();
  it.begin(it.context, &delegate);
  pass(&again, ET_EVENT_STEP, 0);
  pass(&again, ET_EVENT_STEP, 1);
  it.end(it.context, &delegate, ET_STATUS_OK);
  assert_int_equal(recorder.events[1].begin, 11);
  assert_int_equal(recorder.events[1].end, 12);
  assert_int_equal(recorder.events[2].begin, 12);
  et_recorder_free(&recorder);
}

static void test_recorder_grows_beyond_its_first_block(void **state) {
  (void)state;
  const et_observer it = start();
  for (size_t i = 0; i < 5000; i++) {
    it.begin(it.context, &step);
    it.end(it.context, &step, ET_STATUS_OK);
  }
  assert_int_equal(recorder.count, 5000);
  assert_int_equal(recorder.lost, 0);
  assert_int_equal(recorder.events[4999].begin, 10 + 2 * 4999);
  et_recorder_clear(&recorder);
  assert_int_equal(recorder.count, 0);
  et_recorder_free(&recorder);
}

static void test_events_beyond_the_nesting_limit_are_counted_as_lost(
    void **state) {
  (void)state;
  const et_observer it = start();
  for (size_t i = 0; i < ET_RECORDER_DEPTH + 2; i++) {
    it.begin(it.context, &delegate);
  }
  for (size_t i = 0; i < ET_RECORDER_DEPTH + 2; i++) {
    it.end(it.context, &delegate, ET_STATUS_OK);
  }
  assert_int_equal(recorder.count, ET_RECORDER_DEPTH);
  assert_int_equal(recorder.lost, 2);
  assert_int_equal(recorder.depth, 0);
  et_recorder_clear(&recorder);
  assert_int_equal(recorder.lost, 0);
  et_recorder_free(&recorder);
}

static void test_load_event_names_are_not_stored(void **state) {
  (void)state;
  const et_observer it = start();
  it.begin(it.context, &load);
  it.end(it.context, &load, ET_STATUS_OK);
  assert_null(recorder.events[0].name);
  et_recorder_free(&recorder);
}

static void test_monotonic_clock_does_not_go_back(void **state) {
  (void)state;
  const uint64_t before = et_monotonic_clock.now(et_monotonic_clock.context);
  assert_true(et_monotonic_clock.now(et_monotonic_clock.context) >= before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nested_events_keep_their_times),
      cmocka_unit_test(test_unfinished_events_end_before_they_begin),
      cmocka_unit_test(test_next_event_starts_where_the_last_ended),
      cmocka_unit_test(test_recorder_grows_beyond_its_first_block),
      cmocka_unit_test(
          test_events_beyond_the_nesting_limit_are_counted_as_lost),
      cmocka_unit_test(test_load_event_names_are_not_stored),
      cmocka_unit_test(test_monotonic_clock_does_not_go_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
