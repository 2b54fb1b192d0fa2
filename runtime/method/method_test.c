/* Tests loading and running of methods: kernels and their calls. */
#include "executorch/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "executorch/method_layout.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static const float ONES[4] = {1, 1, 1, 1};

static void test_official_program_runs(void **state) {
  (void)state;
  et_span file = {NULL, 0};
  uint8_t *bytes = et_test_read_fixture("tut02_basic_add", &file.size);
  file.data = bytes;
  et_program program;
  et_hosted_method hosted;
  const int32_t sizes[2] = {3, 3};
  const float data[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  assert_int_equal(et_program_load(file, &program, NULL), ET_STATUS_OK);
  assert_int_equal(et_hosted_method_load(&program, "forward", &et_test_registry,
                                         NULL, &hosted, NULL),
                   ET_STATUS_OK);
  for (size_t i = 0; i < et_method_input_count(hosted.method); i++) {
    assert_int_equal(
        et_method_set_input(hosted.method, i, ET_SCALAR_TYPE_FLOAT32, sizes, 2,
                            data, sizeof data, NULL),
        ET_STATUS_OK);
  }
  assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
  assert_true(et_test_first_output(hosted.method, 0) == 2);
  et_hosted_method_free(&hosted);
  free(bytes);
}

/* Generated headers use the macro as an array size. */
static void test_method_size_macro_matches_the_measured_size(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_test_write_add(&writer, 0, 32);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(hosted.requirements.method_bytes,
                   ET_METHOD_BYTES(3u, 3u, 3u, 0u, 1u, 4u, 0u, 0u, 3u, 3u, 0));
  assert_int_equal(hosted.requirements.planned_count, 1);
  et_hosted_method_free(&hosted);
}

static void test_loading_an_unknown_method_lists_the_known_ones(void **state) {
  (void)state;
  et_program program;
  et_method_meta meta;
  et_error error;
  et_error_clear(&error);
  et_test_write_add(&writer, 0, 32);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_program_method_meta(&program, "backward", &meta, &error),
                   ET_STATUS_NOT_FOUND);
  assert_string_equal(
      error.message,
      "method 'backward' does not exist; the program has: forward");
}

static void test_missing_kernels_are_listed_once(void **state) {
  (void)state;
  et_test_write_add(&writer, 0, 32);
  const int32_t args[1] = {0};
  et_writer_call(&writer, "unknown", args, 1);
  et_writer_call(&writer, "unknown", args, 1);
  et_writer_call(&writer, "absent", args, 1);
  et_test_expect_method_refused(
      et_writer_finish(&writer), ET_STATUS_OPERATOR_MISSING,
      "no kernel is linked for: test::unknown.out, test::absent.out");
}

static void test_unused_operators_may_be_missing(void **state) {
  (void)state;
  et_error error;
  et_test_write_add(&writer, 0, 32);
  et_writer_operator(&writer, "test::unknown", "out");
  assert_int_equal(et_test_load_method(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
}

/* Expects an error for a call of `op` with these args. The program has the
 * values of et_test_write_add, followed by an int (3), a str (4), and a list of
 * values 0 and 1 (5). */
static void expect_call_refused(const char *op, const int32_t *args,
                                uint32_t count, const char *part) {
  const int32_t both[2] = {0, 1};
  et_test_write_add(&writer, 0, 32);
  et_writer_int(&writer, 1);
  et_writer_text(&writer, "text");
  et_writer_tensor_list(&writer, both, 2, ET_VALUE_TENSOR_LIST);
  et_writer_call(&writer, op, args, count);
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

static void test_calls_must_match_their_signature(void **state) {
  (void)state;
  expect_call_refused("copy", (const int32_t[]){0, 2}, 2, "2 args, expected 3");
  expect_call_refused("copy", (const int32_t[]){0, 2, 2, 2}, 4,
                      "4 args, expected 3");
  expect_call_refused("copy", (const int32_t[]){3, 2, 2}, 3,
                      "args[0] is int, expected Tensor");
  expect_call_refused("copy", (const int32_t[]){0, 4, 4}, 3,
                      "args[1] is str, expected out Tensor");
  expect_call_refused("fill", (const int32_t[]){4, 2, 2}, 3,
                      "args[0] is str, expected Scalar");
  expect_call_refused("sum", (const int32_t[]){0, 2, 2}, 3,
                      "args[0] is Tensor, expected Tensor[]");
  expect_call_refused("copy", (const int32_t[]){0, 2, 1}, 3,
                      "args[2] does not repeat the out operand");
  expect_call_refused("pair", (const int32_t[]){2, 0, 1, 3}, 4,
                      "args[3] is int, expected out Tensor[]");
  expect_call_refused("pair", (const int32_t[]){2, 1, 0, 5}, 4,
                      "args[3] does not list the out operands");
  expect_call_refused("pair", (const int32_t[]){2, 2, 1, 5}, 4,
                      "args[3] does not list the out operands");
}

/* A call lists an out list twice, as an argument and as the return value. */
static void test_returned_list_must_repeat_the_out_list(void **state) {
  (void)state;
  const int32_t items[2] = {2, 3};
  const int32_t swapped[2] = {3, 2};
  const int32_t other_first[2] = {1, 3};
  const int32_t longer[3] = {2, 3, 3};
  const int32_t *const returned[] = {items, swapped, other_first, items,
                                     longer};
  const uint32_t counts[] = {2, 2, 2, 1, 3};
  for (size_t i = 0; i < 5; i++) {
    et_error error;
    et_test_write_add(&writer, 0, 32);
    et_writer_floats(&writer, 4, 48);
    const int32_t outs =
        et_writer_tensor_list(&writer, items, 2, ET_VALUE_TENSOR_LIST);
    const int32_t repeated = et_writer_tensor_list(
        &writer, returned[i], counts[i], ET_VALUE_TENSOR_LIST);
    const int32_t args[3] = {0, outs, repeated};
    et_writer_call(&writer, "spread", args, 3);
    if (i == 0) {
      assert_int_equal(et_test_load_method(et_writer_finish(&writer), &error),
                       ET_STATUS_OK);
    } else {
      et_test_expect_method_refused(
          et_writer_finish(&writer), ET_STATUS_INVALID_PROGRAM,
          "instructions[1] test::spread.out: args[2] does not repeat the out "
          "list");
    }
  }
}

static void test_temporary_tensor_without_memory_is_refused(void **state) {
  (void)state;
  et_test_write_add(&writer, 0, 32);
  et_writer_floats(&writer, 4, ET_NOT_PLANNED);
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM,
                                "values[3]: the tensor does not have memory");
}

/* Writes a program with a device entry for planned buffer 1. */
static et_span write_buffer_on_device(int8_t device_type) {
  et_fb_writer *buffer = &writer.buffer;
  et_test_write_add(&writer, 0, 32);
  const size_t devices = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer.plan, ET_PLAN_BUFFER_DEVICES, devices);
  const size_t device = et_fb_add_table(buffer, 3);
  et_fb_refer_element(buffer, devices, 0, device);
  et_fb_set_i32(buffer, device, ET_BUFFER_DEVICE_INDEX, 1);
  et_fb_set_i8(buffer, device, ET_BUFFER_DEVICE_TYPE, device_type);
  return et_writer_finish(&writer);
}

static void test_planned_buffers_must_be_on_the_cpu(void **state) {
  (void)state;
  et_error error;
  assert_int_equal(et_test_load_method(write_buffer_on_device(0), &error),
                   ET_STATUS_OK);
  et_test_expect_method_refused(write_buffer_on_device(1),
                                ET_STATUS_NOT_SUPPORTED,
                                "non_const_buffer_device[0] is not the CPU");
}

/* Writes a program with another planned tensor that has a device. */
static et_span write_tensor_on_device(int8_t device_type) {
  et_fb_writer *buffer = &writer.buffer;
  et_test_write_add(&writer, 0, 32);
  et_writer_floats(&writer, 4, 48);
  const size_t tensor = writer.last_table;
  const size_t extra = et_fb_add_table(buffer, ET_EXTRA_DEVICE_INDEX + 1);
  et_fb_refer(buffer, tensor, ET_TENSOR_EXTRA, extra);
  et_fb_set_i8(buffer, extra, ET_EXTRA_DEVICE_TYPE, device_type);
  return et_writer_finish(&writer);
}

static void test_tensors_must_be_on_the_cpu(void **state) {
  (void)state;
  et_error error;
  assert_int_equal(et_test_load_method(write_tensor_on_device(0), &error),
                   ET_STATUS_OK);
  et_test_expect_method_refused(write_tensor_on_device(1),
                                ET_STATUS_NOT_SUPPORTED,
                                "values[3]: the tensor is not on the CPU");
}

static void test_kernel_failure_is_reported_with_its_instruction(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  et_error_clear(&error);
  et_test_write_add(&writer, 0, 32);
  const int32_t args[1] = {2};
  et_writer_call(&writer, "fail", args, 1);
  et_test_open(&writer, &program, &hosted);
  et_test_set_floats(hosted.method, 0, ONES, 4);
  et_test_set_floats(hosted.method, 1, ONES, 4);
  assert_int_equal(et_method_execute(hosted.method, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "instructions[1] test::fail.out: as it should; "
                      "check that eager PyTorch accepts the same inputs");
  et_hosted_method_free(&hosted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_official_program_runs),
      cmocka_unit_test(test_method_size_macro_matches_the_measured_size),
      cmocka_unit_test(test_loading_an_unknown_method_lists_the_known_ones),
      cmocka_unit_test(test_missing_kernels_are_listed_once),
      cmocka_unit_test(test_unused_operators_may_be_missing),
      cmocka_unit_test(test_calls_must_match_their_signature),
      cmocka_unit_test(test_returned_list_must_repeat_the_out_list),
      cmocka_unit_test(test_temporary_tensor_without_memory_is_refused),
      cmocka_unit_test(test_planned_buffers_must_be_on_the_cpu),
      cmocka_unit_test(test_tensors_must_be_on_the_cpu),
      cmocka_unit_test(test_kernel_failure_is_reported_with_its_instruction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
