/* Tests executorch_prim::et_view: the address of its output, and that no kernel
 * reads beyond caller-provided memory through it. All tensors are
 * float32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

#define BOUND 1000

static et_program_writer writer;
static et_program program;
static et_hosted_method hosted;

/* Adds a tensor of up to BOUND floats. The offset is that of
 * et_writer_floats. */
static int32_t dynamic_floats(int32_t offset) {
  const int32_t value = et_writer_floats(&writer, BOUND, offset);
  et_fb_set_i8(&writer.buffer, writer.last_table, ET_TENSOR_DYNAMISM,
               ET_SHAPE_DYNAMIC_BOUND);
  return value;
}

/* Adds the sizes of a view with rank 1; the size is inferred. */
static int32_t any_size(void) {
  const int64_t open = et_writer_int(&writer, -1);
  return et_writer_int_list(&writer, &open, 1);
}

static void view(int32_t base, int32_t out) {
  const int32_t args[3] = {base, any_size(), out};
  const int32_t op =
      et_writer_operator(&writer, "executorch_prim::et_view", "default");
  et_writer_call_operator(&writer, op, args, 3);
}

static void copy(int32_t from, int32_t to) {
  const int32_t args[3] = {from, to, to};
  et_writer_call(&writer, "copy", args, 3);
}

/* A dynamic caller-provided input, its view, and a planned output. */
typedef struct external_view {
  int32_t in;
  int32_t view;
  int32_t out;
} external_view;

static external_view start_external(void) {
  external_view values;
  et_writer_start(&writer, BOUND * sizeof(float) + 16);
  values.in = dynamic_floats(ET_NOT_PLANNED);
  values.view = dynamic_floats(ET_NOT_PLANNED);
  values.out = dynamic_floats(0);
  et_writer_input(&writer, values.in);
  et_writer_output(&writer, values.out);
  return values;
}

static void expect_refused(const char *part) {
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

/* Runs once on an allocation of exactly `count` floats: 1, 2, ... */
static et_status run_on(int32_t count, et_error *error) {
  float *block = malloc((size_t)count * sizeof *block);
  for (int32_t i = 0; i < count; i++) {
    block[i] = (float)(i + 1);
  }
  et_error_clear(error);
  et_test_set_floats(hosted.method, 0, count != 0 ? block : NULL, count);
  const et_status status = et_method_execute(hosted.method, error);
  free(block);
  return status;
}

static const et_tensor *output(size_t index) {
  const et_value *value = NULL;
  assert_int_equal(et_method_get_output(hosted.method, index, &value, NULL),
                   ET_STATUS_OK);
  return value->u.as_tensor;
}

static void test_view_has_its_bases_address(void **state) {
  (void)state;
  et_error error;
  et_writer_start(&writer, 256);
  int32_t in = et_writer_floats(&writer, 4, 0);
  int32_t out = et_writer_floats(&writer, 4, 0);
  et_writer_input(&writer, in);
  view(in, out);
  et_writer_output(&writer, out);
  assert_int_equal(et_test_load_method(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
  et_writer_start(&writer, 256);
  in = et_writer_floats(&writer, 4, 0);
  out = et_writer_floats(&writer, 4, 16);
  et_writer_input(&writer, in);
  view(in, out);
  expect_refused(
      "instructions[0] executorch_prim::et_view.default: the output is not at "
      "its base's address");
}

static void test_views_require_their_implementation(void **state) {
  (void)state;
  et_registry without = et_test_registry;
  without.views = NULL;
  const external_view values = start_external();
  view(values.in, values.view);
  et_test_expect_part_missing(
      et_writer_finish(&writer), &without,
      "instructions[0] executorch_prim::et_view.default: the kernel returns a "
      "view; set registry.views to &et_views");
}

static void test_view_follows_its_external_input(void **state) {
  (void)state;
  et_error error;
  const external_view values = start_external();
  view(values.in, values.view);
  copy(values.view, values.out);
  et_test_open(&writer, &program, &hosted);
  for (int32_t count = 3; count >= 0; count--) {
    assert_int_equal(run_on(count, &error), ET_STATUS_OK);
    assert_int_equal(output(0)->numel, (size_t)count);
    if (count != 0) {
      assert_true(et_test_first_output(hosted.method, 0) == 1);
    }
  }
  et_hosted_method_free(&hosted);
}

static void test_nested_views_follow_the_external_input(void **state) {
  (void)state;
  et_error error;
  const external_view values = start_external();
  const int32_t second = dynamic_floats(ET_NOT_PLANNED);
  view(values.in, values.view);
  view(values.view, second);
  copy(second, values.out);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(run_on(2, &error), ET_STATUS_OK);
  assert_int_equal(output(0)->numel, 2);
  et_hosted_method_free(&hosted);
}

static void test_view_of_an_external_input_may_be_an_output(void **state) {
  (void)state;
  et_error error;
  const external_view values = start_external();
  float external_memory[2] = {5, 6};
  view(values.in, values.view);
  copy(values.view, values.out);
  et_writer_output(&writer, values.view);
  et_test_open(&writer, &program, &hosted);
  et_error_clear(&error);
  et_test_set_floats(hosted.method, 0, external_memory, 2);
  assert_int_equal(et_method_execute(hosted.method, &error), ET_STATUS_OK);
  assert_int_equal(output(1)->numel, 2);
  assert_ptr_equal(output(1)->data, external_memory);
  et_hosted_method_free(&hosted);
}

static void test_reading_a_view_before_it_is_set_is_refused(void **state) {
  (void)state;
  const external_view values = start_external();
  copy(values.view, values.out);
  view(values.in, values.view);
  expect_refused(
      "instructions[0] reads values[1] before the view that binds it");
}

static void test_jump_over_a_view_reads_nothing(void **state) {
  (void)state;
  et_error error;
  const external_view values = start_external();
  et_writer_jump_false(&writer, et_writer_bool(&writer, 0), 2);
  view(values.in, values.view);
  copy(values.view, values.out);
  et_test_open(&writer, &program, &hosted);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run_on(2, &error), ET_STATUS_INVALID_PROGRAM);
    assert_string_equal(error.message,
                        "instructions[2] reads values[1], but its view did not "
                        "run" ET_TEST_EXPORT_AGAIN);
  }
  et_hosted_method_free(&hosted);
}

static void test_jump_over_an_output_view_is_an_error(void **state) {
  (void)state;
  et_error error;
  const external_view values = start_external();
  et_writer_jump_false(&writer, et_writer_bool(&writer, 0), 2);
  view(values.in, values.view);
  et_writer_output(&writer, values.view);
  et_test_open(&writer, &program, &hosted);
  const et_tensor *viewed = hosted.method->outputs[1].value->u.as_tensor;
  assert_int_equal(viewed->numel, 0);
  assert_int_equal(run_on(2, &error), ET_STATUS_INVALID_PROGRAM);
  assert_string_equal(error.message,
                      "outputs[1]: its view did not run" ET_TEST_EXPORT_AGAIN);
  assert_int_equal(viewed->numel, 0);
  et_hosted_method_free(&hosted);
}

/* The view of a caller-provided input is empty before the first run, even if
 * the view is the first instruction. */
static void test_view_has_no_bytes_before_the_first_run(void **state) {
  (void)state;
  const external_view values = start_external();
  view(values.in, values.view);
  copy(values.view, values.out);
  et_writer_output(&writer, values.view);
  et_test_open(&writer, &program, &hosted);
  const et_tensor *viewed = hosted.method->outputs[1].value->u.as_tensor;
  assert_int_equal(viewed->numel, 0);
  assert_null(viewed->data);
  et_hosted_method_free(&hosted);
}

static void set_bool(size_t index, uint8_t bit) {
  const int32_t size = 1;
  assert_int_equal(
      et_method_set_input(hosted.method, index, ET_SCALAR_TYPE_BOOL, &size, 1,
                          &bit, 1, NULL),
      ET_STATUS_OK);
}

/* If a run jumps over the view, it cannot access the previous run's memory. */
static void test_view_of_the_previous_run_is_invalid(void **state) {
  (void)state;
  et_error error;
  const external_view values = start_external();
  const int32_t go =
      et_writer_tensor(&writer, ET_SCALAR_TYPE_BOOL, 1, BOUND * sizeof(float));
  et_writer_input(&writer, go);
  et_writer_jump_false(&writer, go, 2);
  view(values.in, values.view);
  copy(values.view, values.out);
  et_test_open(&writer, &program, &hosted);
  set_bool(1, 1);
  assert_int_equal(run_on(3, &error), ET_STATUS_OK);
  set_bool(1, 0);
  assert_int_equal(run_on(1, &error), ET_STATUS_INVALID_PROGRAM);
  set_bool(1, 1);
  assert_int_equal(run_on(2, &error), ET_STATUS_OK);
  assert_int_equal(output(0)->numel, 2);
  et_hosted_method_free(&hosted);
}

static void test_two_views_on_one_out_are_refused(void **state) {
  (void)state;
  const external_view values = start_external();
  const int32_t other = dynamic_floats(ET_NOT_PLANNED);
  et_writer_input(&writer, other);
  view(values.in, values.view);
  view(other, values.view);
  copy(values.view, values.out);
  expect_refused(
      "instructions[1]: the output of a view, values[1], is the output of "
      "another view");
}

static void test_written_view_or_input_as_out_is_refused(void **state) {
  (void)state;
  const external_view values = start_external();
  et_writer_input(&writer, values.view);
  view(values.in, values.view);
  copy(values.view, values.out);
  expect_refused(
      "instructions[0]: the output of a view, values[1], is an input, holds "
      "state or is written elsewhere");
  et_writer_start(&writer, 64);
  const int32_t in = et_writer_floats(&writer, 4, 32);
  const int32_t planned = et_writer_floats(&writer, 4, 0);
  const int32_t viewed = et_writer_floats(&writer, 4, 0);
  et_writer_input(&writer, in);
  copy(in, viewed);
  view(planned, viewed);
  expect_refused(
      "instructions[1]: the output of a view, values[2], is an input, holds "
      "state or is written elsewhere");
}

/* Overwritten bytes are also detected for a view without planned memory of its
 * own. */
static void test_view_of_overwritten_planned_bytes_is_refused(void **state) {
  (void)state;
  et_writer_start(&writer, 64);
  const int32_t in = et_writer_floats(&writer, 4, 0);
  const int32_t a = et_writer_floats(&writer, 4, 16);
  const int32_t viewed = et_writer_floats(&writer, 4, ET_NOT_PLANNED);
  const int32_t b = et_writer_floats(&writer, 4, 16);
  const int32_t out = et_writer_floats(&writer, 4, 32);
  et_writer_input(&writer, in);
  et_writer_output(&writer, out);
  copy(in, a);
  view(a, viewed);
  copy(in, b);
  copy(viewed, out);
  expect_refused("instructions[3] reads values[2], but values[3]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_view_has_its_bases_address),
      cmocka_unit_test(test_views_require_their_implementation),
      cmocka_unit_test(test_view_follows_its_external_input),
      cmocka_unit_test(test_nested_views_follow_the_external_input),
      cmocka_unit_test(test_view_of_an_external_input_may_be_an_output),
      cmocka_unit_test(test_reading_a_view_before_it_is_set_is_refused),
      cmocka_unit_test(test_jump_over_a_view_reads_nothing),
      cmocka_unit_test(test_jump_over_an_output_view_is_an_error),
      cmocka_unit_test(test_view_has_no_bytes_before_the_first_run),
      cmocka_unit_test(test_view_of_the_previous_run_is_invalid),
      cmocka_unit_test(test_two_views_on_one_out_are_refused),
      cmocka_unit_test(test_written_view_or_input_as_out_is_refused),
      cmocka_unit_test(test_view_of_overwritten_planned_bytes_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
