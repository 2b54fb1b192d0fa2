/* Tests ranges of sizes and ints: calls are checked, invalid lists are
 * rejected. */
#include "executorch/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static const float ONES[8] = {1, 1, 1, 1, 1, 1, 1, 1};

static int32_t dynamic_floats(int32_t size, int32_t offset) {
  const int32_t index = et_writer_floats(&writer, size, offset);
  et_fb_set_i8(&writer.buffer, writer.last_table, ET_TENSOR_DYNAMISM, 1);
  return index;
}

static void add_ranges(const int64_t *numbers, uint32_t count) {
  const size_t container = et_fb_add_table(&writer.buffer, 5);
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_CONTAINER_META, container);
  et_fb_refer(
      &writer.buffer, container, ET_CONTAINER_RANGES,
      et_fb_add_vector(&writer.buffer, numbers, count, sizeof *numbers));
}

/* Values 0 and 1 are dynamic inputs of at most 8 floats. Value 2 is an int that
 * fills output 3. */
static void write_program(const int64_t *numbers, uint32_t count) {
  et_writer_start(&writer, 128);
  et_writer_input(&writer, dynamic_floats(8, 0));
  et_writer_input(&writer, dynamic_floats(8, 32));
  et_writer_input(&writer, et_writer_int(&writer, 0));
  const int32_t out = et_writer_floats(&writer, 2, 64);
  const int32_t fill[] = {2, out, out};
  et_writer_call(&writer, "fill", fill, 3);
  et_writer_output(&writer, out);
  add_ranges(numbers, count);
}

/* A size from 2 to 8 in steps of 2; half of that size, from 1 to 4; an int from
 * -5 to 5. */
static const int64_t RANGES[] = {0, 0, 2, 8, 2,  0,  1, 0, 1,
                                 4, 1, 0, 2, -1, -5, 5, 1, 2};

static et_status set_floats(et_method *method, size_t index, int32_t count,
                            et_error *error) {
  et_error_clear(error);
  return et_method_set_input(method, index, ET_SCALAR_TYPE_FLOAT32, &count, 1,
                             ONES, (size_t)count * sizeof(float), error);
}

static et_status set_int(et_method *method, int64_t number, et_error *error) {
  et_value value = {ET_VALUE_INT, {0}};
  value.u.as_int = number;
  et_error_clear(error);
  return et_method_set_scalar_input(method, 2, &value, error);
}

static void test_sizes_are_checked_against_min_max_and_step(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  write_program(RANGES, 18);
  et_test_open(&writer, &program, &hosted);
  for (int32_t size = 0; size < 9; size++) {
    const bool fits = size >= 2 && size % 2 == 0;
    assert_int_equal(set_floats(hosted.method, 0, size, &error),
                     fits ? ET_STATUS_OK : ET_STATUS_NOT_SUPPORTED);
  }
  assert_int_equal(set_floats(hosted.method, 0, 3, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(error.message,
                      "inputs[0]: size 3 of dim 0 is out of "
                      "range; pass 2 to 8 in steps of 2");
  assert_int_equal(set_floats(hosted.method, 1, 0, &error),
                   ET_STATUS_NOT_SUPPORTED);
  et_hosted_method_free(&hosted);
}

static void test_sizes_step_from_their_minimum(void **state) {
  (void)state;
  static const int64_t ranges[] = {0, 0, 1, 7, 3, 0};
  et_program program;
  et_hosted_method hosted;
  et_error error;
  write_program(ranges, 6);
  et_test_open(&writer, &program, &hosted);
  for (int32_t size = 0; size < 9; size++) {
    const bool fits = size == 1 || size == 4 || size == 7;
    assert_int_equal(set_floats(hosted.method, 0, size, &error),
                     fits ? ET_STATUS_OK : ET_STATUS_NOT_SUPPORTED);
  }
  et_hosted_method_free(&hosted);
}

static void test_integer_input_is_limited_to_its_range(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  write_program(RANGES, 18);
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  assert_int_equal(set_floats(m, 0, 2, &error), ET_STATUS_OK);
  assert_int_equal(set_floats(m, 1, 1, &error), ET_STATUS_OK);
  et_error_clear(&error);
  assert_int_equal(et_method_execute(m, &error), ET_STATUS_INVALID_STATE);
  assert_string_equal(error.message,
                      "inputs[2] is not set; set each input before the call");
  for (int64_t number = -5; number <= 5; number++) {
    assert_int_equal(set_int(m, number, &error), ET_STATUS_OK);
    assert_int_equal(et_method_execute(m, &error), ET_STATUS_OK);
    assert_true(et_test_first_output(m, 0) == (float)number);
  }
  assert_int_equal(set_int(m, 6, &error), ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(error.message,
                      "inputs[2]: 6 is out of range; pass -5 to 5");
  assert_int_equal(set_int(m, -6, &error), ET_STATUS_NOT_SUPPORTED);
  assert_int_equal(set_int(m, INT64_MIN, &error), ET_STATUS_NOT_SUPPORTED);
  assert_int_equal(set_int(m, INT64_MAX, &error), ET_STATUS_NOT_SUPPORTED);
  const et_value boolean = {ET_VALUE_BOOL, {1}};
  assert_int_equal(et_method_set_scalar_input(m, 2, &boolean, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  et_hosted_method_free(&hosted);
}

static void test_sizes_of_one_dim_are_compared_before_a_run(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  write_program(RANGES, 18);
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  assert_int_equal(set_int(m, 1, &error), ET_STATUS_OK);
  for (int32_t half = 1; half <= 4; half++) {
    assert_int_equal(set_floats(m, 1, half, &error), ET_STATUS_OK);
    for (int32_t size = 2; size <= 8; size += 2) {
      assert_int_equal(set_floats(m, 0, size, &error), ET_STATUS_OK);
      assert_int_equal(et_method_execute(m, &error),
                       size == 2 * half ? ET_STATUS_OK
                                        : ET_STATUS_INVALID_ARGUMENT);
    }
  }
  assert_int_equal(set_floats(m, 0, 6, &error), ET_STATUS_OK);
  assert_int_equal(et_method_execute(m, &error), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "inputs[1]: size 4 of dim 0 differs from 6 of dim 0 of "
                      "inputs[0]; both have the same Dim");
  et_hosted_method_free(&hosted);
}

static void test_dynamic_tensor_without_a_range_has_a_fixed_dim(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  write_program(RANGES, 6);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(set_floats(hosted.method, 1, 8, &error), ET_STATUS_OK);
  assert_int_equal(set_floats(hosted.method, 1, 7, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "inputs[1]: size 7 of dim 0 is invalid; pass 8");
  et_hosted_method_free(&hosted);
}

static void test_integer_input_can_be_set_after_a_failed_run(void **state) {
  (void)state;
  static const int64_t ranges[] = {0, -1, 0, 9, 1, 0};
  et_program program;
  et_hosted_method hosted;
  et_error error;
  et_writer_start(&writer, 128);
  et_writer_input(&writer, et_writer_int(&writer, 0));
  const int32_t fail[] = {et_writer_floats(&writer, 2, 0)};
  et_writer_input(&writer, fail[0]);
  et_writer_call(&writer, "fail", fail, 1);
  add_ranges(ranges, 6);
  et_test_open(&writer, &program, &hosted);
  et_value value = {ET_VALUE_INT, {0}};
  value.u.as_int = 3;
  assert_int_equal(et_method_set_scalar_input(hosted.method, 0, &value, NULL),
                   ET_STATUS_OK);
  assert_int_equal(set_floats(hosted.method, 1, 2, &error), ET_STATUS_OK);
  assert_int_not_equal(et_method_execute(hosted.method, NULL),
                       ET_STATUS_INVALID_STATE);
  assert_int_equal(et_method_execute(hosted.method, NULL),
                   ET_STATUS_INVALID_STATE);
  et_hosted_method_free(&hosted);
}

static void test_mismatched_range_list_is_refused(void **state) {
  (void)state;
  static const int64_t lists[][6] = {
      {4, 0, 2, 8, 1, 0},  {-1, 0, 2, 8, 1, 0}, {3, 0, 2, 2, 1, 0},
      {0, 1, 2, 8, 1, 0},  {0, -1, 2, 8, 1, 0}, {0, 16, 2, 8, 1, 0},
      {0, 0, -1, 8, 1, 0}, {0, 0, 2, 9, 1, 0},  {0, 0, 3, 2, 1, 0},
      {0, 0, 2, 8, 0, 0},  {0, 0, 2, 8, -1, 0}, {0, 0, 2, 8, 1, 1},
      {0, 0, 2, 8, 1, -1}, {2, 0, 2, 8, 1, 0},  {0, 0, 2, 8, INT64_MAX, 0},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    write_program(lists[i], 6);
    et_test_expect_method_refused(
        et_writer_finish(&writer), ET_STATUS_INVALID_PROGRAM,
        "ranges[0] does not match the method's values");
  }
  static const int64_t unsorted[] = {1, 0, 2, 8, 1, 0, 0, 0, 2, 8, 1, 1};
  write_program(unsorted, 12);
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, "ranges[1]");
}

static void test_registry_without_range_support_is_refused(void **state) {
  (void)state;
  et_registry registry = et_test_registry;
  registry.ranges = NULL;
  write_program(RANGES, 18);
  et_test_expect_part_missing(
      et_writer_finish(&writer), &registry,
      "the inputs have ranges; set registry.ranges to &et_ranges");
}

static void test_method_description_includes_ranges(void **state) {
  (void)state;
  et_program program;
  et_method_meta meta;
  et_value_meta input;
  write_program(RANGES, 18);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_program_method_meta(&program, "forward", &meta, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_meta_input(&meta, 0, &input, NULL), ET_STATUS_OK);
  assert_int_equal(input.min_sizes[0], 2);
  assert_int_equal(input.sizes[0], 8);
  assert_int_equal(input.size_steps[0], 2);
  assert_int_equal(et_method_meta_input(&meta, 2, &input, NULL), ET_STATUS_OK);
  assert_int_equal(input.min, -5);
  assert_int_equal(input.max, 5);
  assert_int_equal(input.step, 1);
  write_program(RANGES, 0);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_program_method_meta(&program, "forward", &meta, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_meta_input(&meta, 0, &input, NULL), ET_STATUS_OK);
  assert_int_equal(input.min_sizes[0], 0);
  assert_int_equal(input.size_steps[0], 1);
  assert_int_equal(et_method_meta_input(&meta, 2, &input, NULL), ET_STATUS_OK);
  assert_int_equal(input.step, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_are_checked_against_min_max_and_step),
      cmocka_unit_test(test_sizes_step_from_their_minimum),
      cmocka_unit_test(test_integer_input_is_limited_to_its_range),
      cmocka_unit_test(test_sizes_of_one_dim_are_compared_before_a_run),
      cmocka_unit_test(test_dynamic_tensor_without_a_range_has_a_fixed_dim),
      cmocka_unit_test(test_integer_input_can_be_set_after_a_failed_run),
      cmocka_unit_test(test_mismatched_range_list_is_refused),
      cmocka_unit_test(test_registry_without_range_support_is_refused),
      cmocka_unit_test(test_method_description_includes_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
