/* Tests memory, inputs and outputs that the caller provides. */
#include "executorch/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static const float ONES[4] = {1, 1, 1, 1};
static const float TWOS[4] = {2, 2, 2, 2};

/* Valid buffers for et_method_load. The tests invalidate them. */
typedef struct buffers {
  _Alignas(64) uint8_t method[4096];
  _Alignas(64) uint8_t planned[128];
  _Alignas(64) uint8_t scratch[128];
  et_planned_buffer buffer;
  et_method_memory memory;
} buffers;

static et_status load_into(buffers *b, et_error *error) {
  et_program program;
  et_method *method = NULL;
  et_error_clear(error);
  et_test_write_add(&writer, 0, 32);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  b->memory.planned = &b->buffer;
  return et_method_load(&program, "forward", &et_test_registry, NULL,
                        &b->memory, &method, error);
}

static void reset_buffers(buffers *b) {
  const et_mutable_span span = {b->planned, 64};
  const et_method_memory memory = {{b->method, sizeof b->method},
                                   {b->scratch, sizeof b->scratch},
                                   &b->buffer,
                                   1,
                                   {NULL, 0}};
  b->buffer.bytes = span;
  b->memory = memory;
}

static void test_caller_memory_is_checked(void **state) {
  (void)state;
  static buffers b;
  et_error error;
  reset_buffers(&b);
  assert_int_equal(load_into(&b, &error), ET_STATUS_OK);
  b.buffer.bytes.size = 63;
  assert_int_equal(load_into(&b, &error), ET_STATUS_MEMORY_TOO_SMALL);
  assert_non_null(
      strstr(error.message, "planned[0] has 63 bytes, but needs 64"));
  reset_buffers(&b);
  b.buffer.bytes.data = NULL;
  assert_int_equal(load_into(&b, &error), ET_STATUS_INVALID_ARGUMENT);
  b.buffer.bytes.data = b.planned + 4;
  assert_int_equal(load_into(&b, &error), ET_STATUS_INVALID_ARGUMENT);
  reset_buffers(&b);
  b.memory.planned_count = 0;
  assert_int_equal(load_into(&b, &error), ET_STATUS_MEMORY_TOO_SMALL);
  reset_buffers(&b);
  b.memory.method.size = 100;
  assert_int_equal(load_into(&b, &error), ET_STATUS_MEMORY_TOO_SMALL);
  reset_buffers(&b);
  b.buffer.bytes.data = b.method + 64;
  assert_int_equal(load_into(&b, &error), ET_STATUS_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "overlaps"));
  reset_buffers(&b);
  b.memory.scratch = (et_mutable_span){b.method + 64, 0}; /* overlaps nothing */
  assert_int_equal(load_into(&b, &error), ET_STATUS_OK);
}

/* Loading fails if the buffer is smaller than the measured size. */
static void test_method_memory_one_byte_short_is_refused(void **state) {
  (void)state;
  static buffers b;
  et_error error;
  et_program program;
  et_method_requirements needed;
  et_test_write_add(&writer, 0, 32);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_measure(&program, "forward", &et_test_registry,
                                     NULL, &needed, NULL),
                   ET_STATUS_OK);
  reset_buffers(&b);
  b.memory.method.size = needed.method_bytes;
  assert_int_equal(load_into(&b, &error), ET_STATUS_OK);
  for (size_t size = 0; size < needed.method_bytes; size++) {
    b.memory.method.size = size;
    assert_int_equal(load_into(&b, &error), ET_STATUS_MEMORY_TOO_SMALL);
  }
}

static void test_invalid_inputs_are_refused_without_effect(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  const int32_t four = 4;
  const int32_t five = 5;
  const int32_t minus = -4;
  const int32_t square[2] = {2, 2};
  et_test_write_add(&writer, 0, 32);
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  const et_scalar_type f32 = ET_SCALAR_TYPE_FLOAT32;
  et_test_set_floats(m, 0, ONES, 4);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_INVALID_STATE);
  et_test_set_floats(m, 1, ONES, 4);
  assert_int_equal(et_method_set_input(m, 2, f32, &four, 1, ONES, 16, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(
      et_method_set_input(m, 0, ET_SCALAR_TYPE_INT32, &four, 1, ONES, 16, NULL),
      ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_input(m, 0, f32, square, 2, ONES, 16, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_input(m, 0, f32, &five, 1, ONES, 20, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_input(m, 0, f32, &minus, 1, ONES, 16, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_input(m, 0, f32, &four, 1, TWOS, 12, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_input(m, 0, f32, &four, 1, NULL, 16, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  assert_true(et_test_first_output(m, 0) == 2);
  et_hosted_method_free(&hosted);
}

static void test_external_outputs_are_checked(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  const et_value *value = NULL;
  float data[4];
  et_test_write_add(&writer, 0, 32);
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(et_method_get_output(hosted.method, 1, &value, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(
      et_method_set_output(hosted.method, 0, data, sizeof data, NULL),
      ET_STATUS_INVALID_STATE);
  et_hosted_method_free(&hosted);
}

/* Loads the method in `writer` without allocating its outputs. */
static et_method *load_bare(buffers *b, et_program *program) {
  et_method *method = NULL;
  et_error error;
  et_error_clear(&error);
  reset_buffers(b);
  assert_int_equal(et_program_load(et_writer_finish(&writer), program, NULL),
                   ET_STATUS_OK);
  if (et_method_load(program, "forward", &et_test_registry, NULL, &b->memory,
                     &method, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
  return method;
}

static void test_unplanned_inputs_and_outputs_use_caller_memory(void **state) {
  (void)state;
  static buffers b;
  et_program program;
  float out[4] = {0};
  et_test_write_add(&writer, ET_NOT_PLANNED, ET_NOT_PLANNED);
  et_method *m = load_bare(&b, &program);
  et_test_set_floats(m, 0, ONES, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_INVALID_STATE);
  assert_int_equal(et_method_set_output(m, 0, out, 15, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_output(m, 0, NULL, 16, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_output(m, 0, out, 16, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  assert_true(out[0] == 3 && out[3] == 3);
}

/* Runs the program in `writer`, whose output 0 has 4 floats in caller-provided
 * memory. Before each run, the memory is filled with different contents. */
static void run_bare(const float *expected) {
  static buffers b;
  et_program program;
  float out[4];
  et_method *m = load_bare(&b, &program);
  assert_int_equal(et_method_set_output(m, 0, out, 16, NULL), ET_STATUS_OK);
  for (int i = 0; i < 2; i++) {
    et_test_set_floats(m, 0, ONES, 4);
    memset(out, 0x55, sizeof out);
    assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
    assert_memory_equal(out, expected, sizeof out);
  }
}

/* values[0]: the input; values[1]: the output; values[2]: a temporary tensor. */
static void start_bare(void) {
  et_writer_start(&writer, 64);
  et_writer_input(&writer, et_writer_floats(&writer, 4, 0));
  et_writer_output(&writer, et_writer_floats(&writer, 4, ET_NOT_PLANNED));
  et_writer_floats(&writer, 4, 32);
}

static void copy(int32_t from, int32_t to) {
  const int32_t args[3] = {from, to, to};
  et_writer_call(&writer, "copy", args, 3);
}

static void test_unwritten_output_is_zero(void **state) {
  (void)state;
  const float zeros[4] = {0};
  start_bare();
  copy(0, 2);
  run_bare(zeros);
}

static void test_output_written_by_one_branch_is_zero_otherwise(void **state) {
  (void)state;
  const float zeros[4] = {0};
  for (int condition = 0; condition < 2; condition++) {
    start_bare();
    et_writer_jump_false(&writer, et_writer_bool(&writer, condition), 2);
    copy(0, 1);
    copy(0, 2);
    run_bare(condition ? ONES : zeros);
  }
}

static void test_output_read_before_it_is_written_is_zero(void **state) {
  (void)state;
  const int32_t add[4] = {2, 0, 1, 1};
  start_bare();
  copy(1, 2);
  et_writer_call(&writer, "add", add, 4);
  run_bare(ONES);
}

static void test_output_before_the_first_run_is_refused(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  const et_value *out = NULL;
  et_test_write_add(&writer, 0, 32);
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  const et_status expected[4] = {ET_STATUS_INVALID_STATE, ET_STATUS_OK,
                                 ET_STATUS_INVALID_STATE, ET_STATUS_OK};
  for (int i = 0; i < 4; i++) {
    if (i % 2 == 1) {
      et_test_set_floats(m, 0, ONES, 4);
      et_test_set_floats(m, 1, TWOS, 4);
      assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
    } else {
      et_method_reset_state(m);
    }
    et_error_clear(&error);
    assert_int_equal(et_method_get_output(m, 0, &out, &error), expected[i]);
    assert_string_equal(
        error.message,
        i % 2 == 1 ? "" : "outputs[0] has no value; execute the method first");
  }
  et_method_reset_state(m);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_INVALID_STATE);
  assert_int_equal(et_method_get_output(m, 0, &out, NULL),
                   ET_STATUS_INVALID_STATE);
  et_hosted_method_free(&hosted);
}

static void expect_output(const et_method *m, et_status expected) {
  const et_value *out = NULL;
  et_error error = ET_ERROR_INIT;
  assert_int_equal(et_method_get_output(m, 0, &out, &error), expected);
  assert_string_equal(
      error.message, expected == ET_STATUS_OK
                         ? ""
                         : "outputs[0] has no value; execute the method first");
}

static void test_output_is_refused_after_an_input_is_set(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  const int32_t five = 5;
  et_test_write_add(&writer, 0, 32);
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  et_test_set_floats(m, 0, ONES, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
    expect_output(m, ET_STATUS_OK);
    /* A rejected input changes nothing. */
    assert_int_equal(et_method_set_input(m, i, ET_SCALAR_TYPE_FLOAT32, &five, 1,
                                         ONES, 20, NULL),
                     ET_STATUS_INVALID_ARGUMENT);
    expect_output(m, ET_STATUS_OK);
    et_test_set_floats(m, i, ONES, 4);
    expect_output(m, ET_STATUS_INVALID_STATE);
  }
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  assert_true(et_test_first_output(m, 0) == 2);
  et_hosted_method_free(&hosted);
}

static void test_output_is_refused_after_a_scalar_input_is_set(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  const et_value seven = {ET_VALUE_INT, {.as_int = 7}};
  const et_value eight = {ET_VALUE_INT, {.as_int = 8}};
  et_test_write_add(&writer, 0, 32);
  et_writer_input(&writer, et_writer_int(&writer, 7));
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  et_test_set_floats(m, 0, ONES, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_set_scalar_input(m, 2, &eight, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  expect_output(m, ET_STATUS_OK);
  assert_int_equal(et_method_set_scalar_input(m, 2, &seven, NULL),
                   ET_STATUS_OK);
  expect_output(m, ET_STATUS_INVALID_STATE);
  et_hosted_method_free(&hosted);
}

static void test_output_is_refused_after_its_memory_is_set(void **state) {
  (void)state;
  static buffers b;
  et_program program;
  float out[2][4] = {{0}};
  et_test_write_add(&writer, 0, ET_NOT_PLANNED);
  et_method *m = load_bare(&b, &program);
  et_test_set_floats(m, 0, ONES, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  assert_int_equal(et_method_set_output(m, 0, out[0], 16, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_set_output(m, 0, out[1], 15, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  expect_output(m, ET_STATUS_OK);
  assert_int_equal(et_method_set_output(m, 0, out[1], 16, NULL), ET_STATUS_OK);
  expect_output(m, ET_STATUS_INVALID_STATE);
  assert_true(out[0][0] == 3);
}

static void test_external_output_must_not_overlap_an_external_input(
    void **state) {
  (void)state;
  static buffers b;
  et_program program;
  float shared[6] = {1, 1, 1, 1, 1, 1};
  et_test_write_add(&writer, ET_NOT_PLANNED, ET_NOT_PLANNED);
  et_method *m = load_bare(&b, &program);
  et_test_set_floats(m, 0, shared, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  assert_int_equal(et_method_set_output(m, 0, shared + 2, 16, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_INVALID_ARGUMENT);
}

/* Only caller-provided inputs have memory that can overlap. */
static void test_external_output_mixes_with_scalars_and_planned_inputs(
    void **state) {
  (void)state;
  static buffers b;
  et_program program;
  float out[4] = {0};
  et_test_write_add(&writer, 0, ET_NOT_PLANNED);
  et_writer_input(&writer, et_writer_int(&writer, -1));
  et_method *m = load_bare(&b, &program);
  et_test_set_floats(m, 0, ONES, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  assert_int_equal(et_method_set_output(m, 0, out, 16, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  assert_true(out[0] == 3);
}

static void test_external_data_is_aligned_to_its_dtype(void **state) {
  (void)state;
  static buffers b;
  et_program program;
  const int32_t four = 4;
  _Alignas(8) uint8_t bytes[20] = {0};
  et_test_write_add(&writer, ET_NOT_PLANNED, 0);
  et_method *m = load_bare(&b, &program);
  for (size_t at = 0; at <= 4; at++) {
    assert_int_equal(et_method_set_input(m, 0, ET_SCALAR_TYPE_FLOAT32, &four, 1,
                                         bytes + at, 16, NULL),
                     at % 4 == 0 ? ET_STATUS_OK : ET_STATUS_INVALID_ARGUMENT);
  }
  /* A planned input is copied, so its source may be anywhere. */
  et_test_write_add(&writer, 0, 32);
  m = load_bare(&b, &program);
  assert_int_equal(et_method_set_input(m, 0, ET_SCALAR_TYPE_FLOAT32, &four, 1,
                                       bytes + 1, 16, NULL),
                   ET_STATUS_OK);
}

static void test_caller_buffers_must_not_overlap(void **state) {
  (void)state;
  static buffers b;
  et_program program;
  et_method *method = NULL;
  const int64_t sizes[3] = {0, 64, 64};
  et_test_write_add(&writer, 0, 32);
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_BUFFER_SIZES,
              et_fb_add_vector(&writer.buffer, sizes, 3, sizeof *sizes));
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  reset_buffers(&b);
  for (size_t at = 0; at <= 64; at += 64) {
    et_planned_buffer both[2] = {{.bytes = {b.planned, 64}},
                                 {.bytes = {b.planned + at, 64}}};
    b.memory.planned = both;
    b.memory.planned_count = 2;
    assert_int_equal(et_method_load(&program, "forward", &et_test_registry,
                                    NULL, &b.memory, &method, NULL),
                     at == 64 ? ET_STATUS_OK : ET_STATUS_INVALID_ARGUMENT);
  }
}

/* Adjacent memory is allowed. */
static void test_external_output_may_adjoin_an_external_input(void **state) {
  (void)state;
  static buffers b;
  et_program program;
  float shared[12] = {0, 0, 0, 0, 1, 1, 1, 1};
  et_test_write_add(&writer, ET_NOT_PLANNED, ET_NOT_PLANNED);
  et_method *m = load_bare(&b, &program);
  et_test_set_floats(m, 0, shared + 4, 4);
  et_test_set_floats(m, 1, TWOS, 4);
  for (size_t at = 0; at <= 8; at += 8) {
    assert_int_equal(et_method_set_output(m, 0, shared + at, 16, NULL),
                     ET_STATUS_OK);
    assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
    assert_true(shared[at] == 3 && shared[4] == 1 && shared[7] == 1);
  }
}

static void test_input_and_output_indices_are_bounded(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_error error;
  const int32_t four = 4;
  const et_value none = {ET_VALUE_NONE, {.as_int = 0}};
  const et_value *out = NULL;
  et_test_write_add(&writer, 0, 32);
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  et_error_clear(&error);
  assert_int_equal(et_method_set_input(m, 2, ET_SCALAR_TYPE_FLOAT32, &four, 1,
                                       ONES, 16, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "inputs[2]: the index is out of range; the method has 2");
  et_error_clear(&error);
  assert_int_equal(et_method_set_scalar_input(m, 2, &none, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "inputs[2]: the index is out of range; the method has 2");
  et_error_clear(&error);
  assert_int_equal(et_method_get_output(m, 1, &out, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      error.message, "outputs[1]: the index is out of range; the method has 1");
  et_error_clear(&error);
  assert_int_equal(et_method_set_output(m, 1, NULL, 0, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      error.message, "outputs[1]: the index is out of range; the method has 1");
  et_hosted_method_free(&hosted);
}

static void test_dynamic_input_accepts_sizes_up_to_its_bound(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_writer_start(&writer, 64);
  const int32_t in = et_writer_floats(&writer, 4, 0);
  et_fb_set_i8(&writer.buffer, writer.last_table, ET_TENSOR_DYNAMISM, 1);
  const int32_t out = et_writer_floats(&writer, 4, 16);
  et_fb_set_i8(&writer.buffer, writer.last_table, ET_TENSOR_DYNAMISM, 1);
  const int32_t args[3] = {in, out, out};
  et_writer_input(&writer, in);
  et_writer_output(&writer, out);
  et_writer_call(&writer, "copy", args, 3);
  et_test_open(&writer, &program, &hosted);
  const int32_t counts[] = {0, 1, 3, 4, 2};
  for (size_t i = 0; i < 5; i++) {
    const et_value *value = NULL;
    et_test_set_floats(hosted.method, 0, TWOS, counts[i]);
    assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
    et_method_get_output(hosted.method, 0, &value, NULL);
    assert_int_equal(value->u.as_tensor->sizes[0], counts[i]);
  }
  const int32_t five = 5;
  assert_int_equal(et_method_set_input(hosted.method, 0, ET_SCALAR_TYPE_FLOAT32,
                                       &five, 1, TWOS, 20, NULL),
                   ET_STATUS_NOT_SUPPORTED);
  et_hosted_method_free(&hosted);
}

static void test_scalar_inputs_must_equal_the_compiled_values(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  et_writer_start(&writer, 0);
  const int32_t number = et_writer_int(&writer, 7);
  const int32_t text = et_writer_text(&writer, "mode");
  et_writer_input(&writer, number);
  et_writer_input(&writer, text);
  et_writer_output(&writer, text);
  et_test_open(&writer, &program, &hosted);
  const et_value seven = {ET_VALUE_INT, {.as_int = 7}};
  const et_value eight = {ET_VALUE_INT, {.as_int = 8}};
  const et_value mode = {ET_VALUE_STRING, {.as_string = {"mode", 4}}};
  const et_value made = {ET_VALUE_STRING, {.as_string = {"made", 4}}};
  const et_value *out = NULL;
  et_method *m = hosted.method;
  assert_int_equal(et_method_set_scalar_input(m, 0, &seven, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_set_scalar_input(m, 0, &eight, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_scalar_input(m, 0, &mode, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_scalar_input(m, 1, &made, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_set_scalar_input(m, 1, &mode, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_execute(m, NULL), ET_STATUS_OK);
  et_method_get_output(m, 0, &out, NULL);
  assert_int_equal(out->tag, ET_VALUE_STRING);
  et_hosted_method_free(&hosted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_caller_memory_is_checked),
      cmocka_unit_test(test_method_memory_one_byte_short_is_refused),
      cmocka_unit_test(test_invalid_inputs_are_refused_without_effect),
      cmocka_unit_test(test_external_outputs_are_checked),
      cmocka_unit_test(test_unplanned_inputs_and_outputs_use_caller_memory),
      cmocka_unit_test(test_unwritten_output_is_zero),
      cmocka_unit_test(test_output_written_by_one_branch_is_zero_otherwise),
      cmocka_unit_test(test_output_read_before_it_is_written_is_zero),
      cmocka_unit_test(test_output_before_the_first_run_is_refused),
      cmocka_unit_test(test_output_is_refused_after_an_input_is_set),
      cmocka_unit_test(test_output_is_refused_after_a_scalar_input_is_set),
      cmocka_unit_test(test_output_is_refused_after_its_memory_is_set),
      cmocka_unit_test(test_external_output_must_not_overlap_an_external_input),
      cmocka_unit_test(
          test_external_output_mixes_with_scalars_and_planned_inputs),
      cmocka_unit_test(test_external_data_is_aligned_to_its_dtype),
      cmocka_unit_test(test_caller_buffers_must_not_overlap),
      cmocka_unit_test(test_external_output_may_adjoin_an_external_input),
      cmocka_unit_test(test_input_and_output_indices_are_bounded),
      cmocka_unit_test(test_dynamic_input_accepts_sizes_up_to_its_bound),
      cmocka_unit_test(test_scalar_inputs_must_equal_the_compiled_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
