/* Tests control flow, moves, delegates and constant methods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;
static et_program program;
static et_hosted_method hosted;

static const float ONES[2] = {1, 1};

/* values[0] is an input of two floats; values[1] is an output, another
 * tensor. */
static void start(void) {
  et_writer_start(&writer, 128);
  et_writer_input(&writer, et_writer_floats(&writer, 2, 0));
  et_writer_output(&writer, et_writer_floats(&writer, 2, 16));
}

static void fill(int32_t number, int32_t out) {
  const int32_t args[3] = {number, out, out};
  et_writer_call(&writer, "fill", args, 3);
}

static et_status run_method(const float *data) {
  et_test_set_floats(hosted.method, 0, data, 2);
  return et_method_execute(hosted.method, NULL);
}

static void test_jump_false_selects_a_branch(void **state) {
  (void)state;
  for (int condition = 0; condition < 2; condition++) {
    start();
    const int32_t chosen = et_writer_bool(&writer, condition);
    const int32_t never = et_writer_bool(&writer, 0);
    const int32_t two = et_writer_int(&writer, 2);
    const int32_t three = et_writer_double(&writer, 3);
    et_writer_jump_false(&writer, chosen, 3);
    fill(two, 1);
    et_writer_jump_false(&writer, never, 4); /* skips the other branch */
    fill(three, 1);
    et_test_open(&writer, &program, &hosted);
    assert_int_equal(run_method(ONES), ET_STATUS_OK);
    assert_true(et_test_first_output(hosted.method, 0) == (condition ? 2 : 3));
    et_hosted_method_free(&hosted);
  }
}

/* for (i = 0; i < 5; i++) out = i; the counter is a value of the method. */
#define LOOP_STEPS 24
static void write_loop(int32_t *out_counter) {
  start();
  const int32_t i = et_writer_int(&writer, 0);
  const int32_t one = et_writer_int(&writer, 1);
  const int32_t five = et_writer_int(&writer, 5);
  const int32_t less = et_writer_bool(&writer, 0);
  const int32_t never = et_writer_bool(&writer, 0);
  const int32_t next[3] = {i, one, i};
  const int32_t test[3] = {i, five, less};
  fill(i, 1);
  et_writer_call(&writer, "count", next, 3);
  et_writer_call(&writer, "less", test, 3);
  et_writer_jump_false(&writer, less, 5);
  et_writer_jump_false(&writer, never, 0);
  *out_counter = i;
}

static void test_loop_runs_until_its_condition_is_false(void **state) {
  (void)state;
  int32_t counter = 0;
  write_loop(&counter);
  et_writer_output(&writer, counter);
  et_test_open(&writer, &program, &hosted);
  const et_value *value = NULL;
  assert_int_equal(run_method(ONES), ET_STATUS_OK);
  assert_true(et_test_first_output(hosted.method, 0) == 4);
  et_method_get_output(hosted.method, 1, &value, NULL);
  assert_int_equal(value->u.as_int, 5);
  et_hosted_method_free(&hosted);
}

static void test_failed_run_resets_the_instruction_counter(void **state) {
  (void)state;
  int32_t counter = 0;
  const int32_t args[1] = {0};
  write_loop(&counter);
  et_writer_call(&writer, "fail", args, 1);
  et_writer_output(&writer, counter);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(run_method(ONES), ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(hosted.method->outputs[1].value->u.as_int, 0);
  et_hosted_method_free(&hosted);
}

/* Loads the written method with a limit on its steps. */
static void open_with_budget(uint64_t max_steps) {
  const et_method_options options = {.max_steps = max_steps};
  const et_span file = et_writer_finish(&writer);
  assert_int_equal(et_program_load(file, &program, NULL), ET_STATUS_OK);
  assert_int_equal(et_hosted_method_load(&program, "forward", &et_test_registry,
                                         &options, &hosted, NULL),
                   ET_STATUS_OK);
}

/* Runs an endless loop and checks the error. */
static void expect_stopped(const char *message) {
  et_error error;
  et_error_clear(&error);
  et_test_set_floats(hosted.method, 0, ONES, 2);
  assert_int_equal(et_method_execute(hosted.method, &error),
                   ET_STATUS_OUT_OF_RESOURCES);
  assert_string_equal(error.message, message);
}

static void test_endless_loop_is_stopped(void **state) {
  (void)state;
  start();
  et_writer_jump_false(&writer, et_writer_bool(&writer, 0), 0);
  open_with_budget(0);
  expect_stopped(
      "instructions[0] of method 'forward': the run exceeds 10000000 "
      "instructions; raise et_method_options.max_steps if its loops end");
  et_hosted_method_free(&hosted);
}

static void test_instruction_budget_is_the_callers(void **state) {
  (void)state;
  int32_t counter = 0;
  write_loop(&counter);
  et_writer_output(&writer, counter);
  open_with_budget(LOOP_STEPS - 1);
  for (int i = 0; i < 2; i++) {
    expect_stopped(
        "instructions[3] of method 'forward': the run exceeds 23 instructions; "
        "raise et_method_options.max_steps if its loops end");
  }
  et_hosted_method_free(&hosted);
}

static void test_exact_instruction_budget_suffices(void **state) {
  (void)state;
  int32_t counter = 0;
  write_loop(&counter);
  et_writer_output(&writer, counter);
  open_with_budget(LOOP_STEPS);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run_method(ONES), ET_STATUS_OK);
  }
  et_hosted_method_free(&hosted);
}

static void test_bool_tensor_is_accepted_as_condition(void **state) {
  (void)state;
  et_writer_start(&writer, 64);
  const int32_t condition =
      et_writer_tensor(&writer, ET_SCALAR_TYPE_BOOL, 1, 32);
  const int32_t out = et_writer_floats(&writer, 2, 0);
  const int32_t numbers[2] = {et_writer_int(&writer, 2),
                              et_writer_int(&writer, 9)};
  et_writer_input(&writer, condition);
  et_writer_output(&writer, out);
  fill(numbers[0], out);
  et_writer_jump_false(&writer, condition, 3);
  fill(numbers[1], out);
  et_test_open(&writer, &program, &hosted);
  for (uint8_t bit = 0; bit < 2; bit++) {
    const int32_t size = 1;
    assert_int_equal(et_method_set_input(hosted.method, 0, ET_SCALAR_TYPE_BOOL,
                                         &size, 1, &bit, 1, NULL),
                     ET_STATUS_OK);
    assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
    assert_true(et_test_first_output(hosted.method, 0) == (bit ? 9 : 2));
  }
  et_hosted_method_free(&hosted);
}

static void test_move_copies_tensors_and_scalars(void **state) {
  (void)state;
  start();
  const int32_t number = et_writer_int(&writer, 6);
  const int32_t other = et_writer_int(&writer, 0);
  et_writer_move(&writer, 0, 1);
  et_writer_move(&writer, number, other);
  et_writer_output(&writer, other);
  et_test_open(&writer, &program, &hosted);
  const et_value *value = NULL;
  const float data[2] = {7, 8};
  assert_int_equal(run_method(data), ET_STATUS_OK);
  assert_true(et_test_first_output(hosted.method, 0) == 7);
  et_method_get_output(hosted.method, 1, &value, NULL);
  assert_int_equal(value->u.as_int, 6);
  et_hosted_method_free(&hosted);
}

static void expect_refused(const char *part) {
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

static void test_moves_that_change_a_values_kind_are_refused(void **state) {
  (void)state;
  start();
  et_writer_move(&writer, 0, et_writer_int(&writer, 1));
  expect_refused(
      "instructions[0]: the source and target of a move differ in type");
  start();
  et_writer_move(&writer, et_writer_text(&writer, "a"),
                 et_writer_text(&writer, "b"));
  expect_refused(
      "instructions[0]: the source of a move is not a tensor or a scalar");
  start();
  et_writer_move(&writer, 0,
                 et_writer_tensor(&writer, ET_SCALAR_TYPE_INT64, 2, 32));
  expect_refused(
      "instructions[0]: the source and target of a move differ in dtype");
}

static void test_conditions_and_frees_of_wrong_kinds_are_refused(void **state) {
  (void)state;
  start();
  et_writer_jump_false(&writer, 0, 0);
  expect_refused("instructions[0]: the condition is not a bool tensor");
  start();
  et_writer_jump_false(&writer, et_writer_int(&writer, 1), 0);
  expect_refused("instructions[0]: the condition is not a bool or a Tensor");
  start();
  et_writer_free(&writer, et_writer_int(&writer, 1));
  expect_refused("instructions[0]: the freed value is not a Tensor");
}

static void test_moves_and_jumps_require_their_implementation(void **state) {
  (void)state;
  et_registry without = et_test_registry;
  without.branching = NULL;
  for (int i = 0; i < 2; i++) {
    const int32_t condition = (start(), et_writer_bool(&writer, 1));
    if (i == 0) {
      et_writer_move(&writer, condition, et_writer_bool(&writer, 0));
    } else {
      et_writer_jump_false(&writer, condition, 1);
    }
    et_test_expect_part_missing(
        et_writer_finish(&writer), &without,
        "instructions[0]: the program has a move or a jump; set "
        "registry.branching to &et_branching");
  }
}

static void test_method_without_instructions_returns_constants(void **state) {
  (void)state;
  et_writer_start(&writer, 0);
  et_writer_output(&writer, et_writer_int(&writer, 3));
  et_writer_output(&writer, et_writer_text(&writer, "name"));
  et_writer_output(&writer, et_writer_none(&writer));
  et_test_open(&writer, &program, &hosted);
  const et_value *value = NULL;
  assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
  et_method_get_output(hosted.method, 0, &value, NULL);
  assert_int_equal(value->u.as_int, 3);
  et_method_get_output(hosted.method, 2, &value, NULL);
  assert_int_equal(value->tag, ET_VALUE_NONE);
  et_hosted_method_free(&hosted);
}

static void write_delegate(const char *id, const char *payload,
                           uint32_t count) {
  start();
  const int32_t args[4] = {0, 0, 0, 1}; /* the last argument is written */
  et_writer_delegate(&writer, id, payload, args + 4 - count, count);
}

static void test_delegate_handle_is_in_method_memory(void **state) {
  (void)state;
  write_delegate("TestBackend", "payload", 3);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(run_method(ONES), ET_STATUS_OK);
  assert_true(et_test_first_output(hosted.method, 0) == 2);
  et_hosted_method_free(&hosted);
}

static void test_missing_backend_is_named(void **state) {
  (void)state;
  write_delegate("OtherBackend", "payload", 3);
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_OPERATOR_MISSING,
                                "no backend is linked for: OtherBackend");
}

static void test_payload_refused_by_the_backend_is_reported(void **state) {
  (void)state;
  write_delegate("TestBackend", "", 3);
  et_test_expect_method_refused(
      et_writer_finish(&writer), ET_STATUS_DELEGATE_INCOMPATIBLE,
      "delegates[0] TestBackend: the payload is empty");
}

static void test_wrong_number_of_delegate_args_is_an_error(void **state) {
  (void)state;
  write_delegate("TestBackend", "payload", 4);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(run_method(ONES), ET_STATUS_INVALID_PROGRAM);
  et_hosted_method_free(&hosted);
}

static void test_mutable_buffer_persists_between_runs(void **state) {
  (void)state;
  start();
  const int32_t total = et_writer_floats(&writer, 2, 32);
  const int32_t next[4] = {total, 0, 1, 1};
  const int32_t back[3] = {1, total, total};
  et_writer_call(&writer, "add", next, 4);
  et_writer_call(&writer, "copy", back, 3);
  et_test_open(&writer, &program, &hosted);
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(run_method(ONES), ET_STATUS_OK);
    assert_true(et_test_first_output(hosted.method, 0) == (float)i);
  }
  et_hosted_method_free(&hosted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jump_false_selects_a_branch),
      cmocka_unit_test(test_loop_runs_until_its_condition_is_false),
      cmocka_unit_test(test_failed_run_resets_the_instruction_counter),
      cmocka_unit_test(test_endless_loop_is_stopped),
      cmocka_unit_test(test_instruction_budget_is_the_callers),
      cmocka_unit_test(test_exact_instruction_budget_suffices),
      cmocka_unit_test(test_bool_tensor_is_accepted_as_condition),
      cmocka_unit_test(test_move_copies_tensors_and_scalars),
      cmocka_unit_test(test_moves_that_change_a_values_kind_are_refused),
      cmocka_unit_test(test_conditions_and_frees_of_wrong_kinds_are_refused),
      cmocka_unit_test(test_moves_and_jumps_require_their_implementation),
      cmocka_unit_test(test_method_without_instructions_returns_constants),
      cmocka_unit_test(test_delegate_handle_is_in_method_memory),
      cmocka_unit_test(test_missing_backend_is_named),
      cmocka_unit_test(test_payload_refused_by_the_backend_is_reported),
      cmocka_unit_test(test_wrong_number_of_delegate_args_is_an_error),
      cmocka_unit_test(test_mutable_buffer_persists_between_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
