/* Tests the events that an observer receives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "executorch/hosted_method.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;
static et_program program;
static et_hosted_method hosted;

/* Events as text: "(kind index name" at begin, and "args status)" at end. */
static char events[512];

static void on_begin(void *context, const et_event *event) {
  char *text = context;
  const size_t used = strlen(text);
  snprintf(text + used, sizeof events - used, "(%d %u %s ", (int)event->kind,
           (unsigned)event->index, event->name);
}

static void on_end(void *context, const et_event *event, et_status status) {
  char *text = context;
  const size_t used = strlen(text);
  snprintf(text + used, sizeof events - used, "%zu %d)", event->arg_count,
           (int)status);
}

static const et_observer observer = ET_OBSERVER(events, on_begin, on_end);

static et_status load_with(const et_observer *by) {
  const et_method_options options = {.observer = by};
  events[0] = '\0';
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  return et_hosted_method_load(&program, "forward", &et_test_registry, &options,
                               &hosted, NULL);
}

static et_status run_method(void) {
  const float data[2] = {1, 2};
  et_test_set_floats(hosted.method, 0, data, 2);
  return et_method_execute(hosted.method, NULL);
}

static void test_each_instruction_is_reported_with_its_arguments(void **state) {
  (void)state;
  const int32_t fail[1] = {0};
  et_test_write_copy(&writer, 2);
  et_writer_move(&writer, 0, 1);
  et_writer_free(&writer, 0);
  et_writer_jump_false(&writer, et_writer_bool(&writer, 0), 4);
  et_writer_call(&writer, "fail", fail, 1);
  assert_int_equal(load_with(&observer), ET_STATUS_OK);
  assert_string_equal(events, "(6 0 forward 0 0)");
  events[0] = '\0';
  assert_int_equal(run_method(), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(events,
                      "(0 0 test::copy.out 3 0)(2 1 Move 2 0)(3 3 JumpFalse 1 "
                      "0)(0 4 test::fail.out 1 18)");
  et_hosted_method_free(&hosted);
}

/* Stores the first element of a call's last argument. */
static void keep_result(void *context, const et_event *event,
                        et_status status) {
  float *result = context;
  if (event->kind == ET_EVENT_KERNEL && status == ET_STATUS_OK) {
    const et_value *out = event->args[event->arg_count - 1];
    *result = *(const float *)out->u.as_tensor->data;
  }
}

static void ignore_begin(void *context, const et_event *event) {
  (void)context;
  (void)event;
}

static void test_results_are_available_at_the_end_event(void **state) {
  (void)state;
  float result = 0;
  const et_observer keeper = ET_OBSERVER(&result, ignore_begin, keep_result);
  et_test_write_copy(&writer, 2);
  assert_int_equal(load_with(&keeper), ET_STATUS_OK);
  assert_int_equal(run_method(), ET_STATUS_OK);
  assert_true(result == 1);
  et_hosted_method_free(&hosted);
}

static void test_refused_method_ends_its_event_with_the_status(void **state) {
  (void)state;
  const int32_t args[3] = {0, 1, 1};
  et_test_write_copy(&writer, 2);
  et_writer_call(&writer, "absent", args, 3);
  et_method_memory memory = {.planned = NULL};
  et_method *method = NULL;
  const et_method_options options = {.observer = &observer};
  assert_int_equal(load_with(NULL), ET_STATUS_OPERATOR_MISSING);
  assert_int_equal(et_method_load(&program, "forward", &et_test_registry,
                                  &options, &memory, &method, NULL),
                   ET_STATUS_OPERATOR_MISSING);
  assert_string_equal(events, "(6 0 forward 0 20)");
}

static void test_op_observer_receives_no_runtime_events(void **state) {
  (void)state;
  const et_observer of_steps = {events, on_begin, on_end, NULL};
  et_test_write_copy(&writer, 2);
  assert_int_equal(load_with(&of_steps), ET_STATUS_OK);
  assert_int_equal(run_method(), ET_STATUS_OK);
  assert_string_equal(events, "");
  et_hosted_method_free(&hosted);
}

static void test_program_load_is_reported_with_its_name(void **state) {
  (void)state;
  et_test_write_copy(&writer, 2);
  const et_span file = et_writer_finish(&writer);
  const et_extent extent = {0, file};
  et_data_source source = {"net.pte", file.size, &extent, 1, NULL, NULL};
  events[0] = '\0';
  assert_int_equal(
      et_program_load_observed(&source, 1, &observer, &program, NULL),
      ET_STATUS_OK);
  source.size = 8;
  assert_int_equal(
      et_program_load_observed(&source, 1, &observer, &program, NULL),
      ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(events, "(5 0 net.pte 0 0)(5 0 net.pte 0 18)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_instruction_is_reported_with_its_arguments),
      cmocka_unit_test(test_results_are_available_at_the_end_event),
      cmocka_unit_test(test_refused_method_ends_its_event_with_the_status),
      cmocka_unit_test(test_op_observer_receives_no_runtime_events),
      cmocka_unit_test(test_program_load_is_reported_with_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
