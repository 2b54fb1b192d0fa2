/* CpuBackend's runtime side: what payloads do, and which are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backends/cpu/runtime/handle.h"
#include "backends/cpu/runtime/isa.h"
#include "backends/cpu/runtime/testing/cpu_session.h"
#include "backends/cpu/runtime/testing/cpu_test_kinds.h"

static cpu_writer writer;
static cpu_session session;
static cpu_sample samples[4];
static et_value number;
static et_value *args[4];

static int start(void **state) {
  (void)state;
  memset(&writer, 0, sizeof writer);
  memset(&session, 0, sizeof session);
  for (size_t i = 0; i < 4; i++) {
    cpu_sample_make(&samples[i], 2, 3);
    args[i] = &samples[i].value;
  }
  return 0;
}

static int finish(void **state) {
  (void)state;
  cpu_session_end(&session);
  return 0;
}

static et_status load(void) {
  cpu_session_end(&session);
  et_error_clear(&session.error);
  return cpu_session_load(&session, cpu_write_finish(&writer));
}

static void must_load(void) {
  if (load() != ET_STATUS_OK) {
    fail_msg("%s", session.error.message);
  }
}

static et_status call(size_t count) {
  et_error_clear(&session.error);
  return cpu_session_call(&session, args, count);
}

static void must_call(size_t count) {
  if (call(count) != ET_STATUS_OK) {
    fail_msg("%s", session.error.message);
  }
}

static void expect_refused(const char *message) {
  assert_int_not_equal(load(), ET_STATUS_OK);
  assert_string_equal(session.error.message, message);
}

static void expect_call_refused(size_t count, const char *message) {
  assert_int_not_equal(call(count), ET_STATUS_OK);
  assert_string_equal(session.error.message, message);
}

/* y = x + 5 + 5 over scratch, for [2, 3]. */
static void write_static(void) {
  const uint32_t dims[2] = {cpu_write_const(&writer, 2),
                            cpu_write_const(&writer, 3)};
  writer.inputs = writer.outputs = 1;
  writer.scratch_bytes = 64;
  const uint32_t x = cpu_write_floats(&writer, ET_CPU_INPUT, 0, 0, dims, 2);
  const uint32_t h = cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 0, dims, 2);
  const uint32_t y = cpu_write_floats(&writer, ET_CPU_OUTPUT, 0, 0, dims, 2);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, x, h, 5);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, h, y, 5);
}

/* The dims of write_dynamic: rows, columns, rows * columns. */
enum { ROWS, COLUMNS, NUMEL };

/* y = x + 5 for [n, 3], n <= 5, by a view of n * 3 elements. */
static void write_dynamic(void) {
  const et_cpu_dim dims[3] = {{ET_CPU_DIM_SIZE, 0, 0, 5},
                              {ET_CPU_DIM_CONST, 3, 0, 3},
                              {ET_CPU_DIM_MUL, ROWS, COLUMNS, 15}};
  const uint32_t matrix[2] = {ROWS, COLUMNS};
  const uint32_t flat[1] = {NUMEL};
  for (size_t i = 0; i < 3; i++) {
    cpu_write_dim(&writer, dims[i]);
  }
  writer.inputs = writer.outputs = 1;
  writer.scratch_bytes = 60;
  cpu_write_floats(&writer, ET_CPU_INPUT, 0, 0, matrix, 2);
  const uint32_t h = cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 0, flat, 1);
  const uint32_t y = cpu_write_floats(&writer, ET_CPU_OUTPUT, 0, 0, matrix, 2);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, 0, h, 2);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, h, y, 3);
}

static void test_steps_run_in_order_over_scratch(void **state) {
  (void)state;
  write_static();
  must_load();
  must_call(2);
  for (size_t i = 0; i < 6; i++) {
    assert_true(samples[1].data[i] == (float)(i + 1 + 10));
  }
}

static void test_handle_takes_the_documented_bytes(void **state) {
  (void)state;
  write_static();
  must_load();
  assert_int_equal(session.needed.handle_bytes,
                   ET_CPU_HANDLE_BYTES(2, 2, 3, 2, 4, 0, 2));
  assert_int_equal(session.needed.scratch_bytes, 64);
  assert_int_equal(session.needed.output_count, 1);
}

static void test_named_data_is_used_where_it_lies(void **state) {
  (void)state;
  const uint32_t dims[1] = {cpu_write_const(&writer, 6)};
  const uint32_t sizes[2] = {cpu_write_const(&writer, 2),
                             cpu_write_const(&writer, 3)};
  writer.outputs = 1;
  cpu_write_data(&writer, "weights", sizeof cpu_session_weights);
  const uint32_t w = cpu_write_floats(&writer, ET_CPU_DATA, 0, 16, dims, 1);
  const uint32_t y = cpu_write_floats(&writer, ET_CPU_OUTPUT, 0, 0, sizes, 2);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, w, y, 0);
  must_load();
  must_call(1);
  assert_memory_equal(samples[0].data, cpu_session_weights + 4,
                      6 * sizeof(float));
}

static void test_sizes_follow_the_arguments(void **state) {
  (void)state;
  write_dynamic();
  must_load();
  for (int32_t rows = 5; rows >= 0; rows--) {
    cpu_sample_make(&samples[0], rows, 3);
    must_call(2);
    assert_int_equal(samples[1].sizes[0], rows);
    for (int32_t i = 0; i < rows * 3; i++) {
      assert_true(samples[1].data[i] == (float)(i + 1 + 5));
    }
  }
}

static void test_sizes_beyond_the_bound_are_refused(void **state) {
  (void)state;
  write_dynamic();
  must_load();
  cpu_sample_make(&samples[0], 1, 3);
  must_call(2);
  samples[0].sizes[0] = 6;
  expect_call_refused(2, "dims[0] is 6; the payload is for 0 to 5");
  cpu_sample_make(&samples[0], 2, 4);
  expect_call_refused(2, "argument 0: size 4 of dimension 1; expected 3");
  cpu_sample_make(&samples[0], 1, 3);
  must_call(2);
}

static void test_int_arguments_are_dims(void **state) {
  (void)state;
  const et_cpu_dim dim = {ET_CPU_DIM_INT, 1, 0, 100};
  const uint32_t counts[5] = {1, 1, 0, 1, 0};
  const uint32_t sizes[2] = {cpu_write_const(&writer, 2),
                             cpu_write_const(&writer, 3)};
  const uint32_t one = cpu_write_const(&writer, 1);
  const uint32_t ones[2] = {one, one};
  const uint32_t addend[1] = {cpu_write_dim(&writer, dim)};
  const uint32_t values[2] = {
      cpu_write_floats(&writer, ET_CPU_INPUT, 0, 0, sizes, 2),
      cpu_write_floats(&writer, ET_CPU_OUTPUT, 0, 0, ones, 2)};
  writer.inputs = 2;
  writer.outputs = 1;
  cpu_write_step(&writer, CPU_TEST_SUM, counts, values, addend, NULL);
  must_load();
  number.tag = ET_VALUE_INT;
  number.u.as_int = 20;
  args[1] = &number;
  must_call(3);
  assert_true(samples[2].data[0] == 21 + 20);
  number.u.as_int = 101;
  expect_call_refused(3, "dims[3] is 101; the payload is for 0 to 100");
  number.u.as_int = INT64_MIN;
  assert_int_equal(call(3), ET_STATUS_INVALID_ARGUMENT);
  number.tag = ET_VALUE_BOOL;
  expect_call_refused(3, "argument 1 is no int");
}

static void test_inputs_in_another_dim_order_have_dims_in_memory_order(
    void **state) {
  (void)state;
  write_static();
  writer.values.words[5] = 0x01; /* of x: columns outermost */
  must_load();
  expect_call_refused(2,
                      "argument 0 has another rank or dim order than the "
                      "payload's");
  cpu_sample_make(&samples[0], 3, 2);
  samples[0].order[0] = 1;
  samples[0].order[1] = 0;
  must_call(2);
  assert_true(samples[1].data[5] == 16);
}

static void test_arguments_of_another_kind_are_refused(void **state) {
  (void)state;
  write_static();
  must_load();
  expect_call_refused(3, "3 arguments; the payload has 2");
  samples[0].tensor.dtype = ET_SCALAR_TYPE_INT32;
  expect_call_refused(2, "argument 0 has another dtype than the payload's");
  cpu_sample_make(&samples[0], 2, 3);
  samples[0].tensor.data = NULL;
  expect_call_refused(2, "argument 0 has no memory");
  number.tag = ET_VALUE_INT;
  args[0] = &number;
  expect_call_refused(2, "argument 0 is no tensor");
}

static struct {
  const char *begun[4];
  uint32_t indices[4];
  size_t begins;
  size_t ends;
} events;

static void on_begin(void *context, const et_event *event) {
  (void)context;
  assert_int_equal(event->kind, ET_EVENT_STEP);
  events.begun[events.begins] = event->name;
  events.indices[events.begins++] = event->index;
}

static void on_end(void *context, const et_event *event, et_status status) {
  (void)context;
  assert_int_equal(event->index, events.ends++);
  assert_int_equal(status, ET_STATUS_OK);
}

static void test_an_observer_is_told_of_each_step(void **state) {
  (void)state;
  const et_observer observer = {NULL, on_begin, on_end};
  write_static();
  must_load();
  session.observer = &observer;
  must_call(2);
  assert_int_equal(events.begins, 2);
  assert_int_equal(events.ends, 2);
  assert_string_equal(events.begun[0], "shift");
  assert_int_equal(events.indices[1], 1);
}

static void test_the_option_isa_chooses(void **state) {
  (void)state;
  et_backend_option option = et_cpu_force_isa(ET_CPU_PLAIN);
  write_static();
  session.options = &option;
  session.option_count = 1;
  must_load();
  assert_int_equal(((const et_cpu_handle *)session.handle)->isa, ET_CPU_PLAIN);
#if !defined(__aarch64__)
  option = et_cpu_force_isa(ET_CPU_NEON);
  expect_refused("isa 'neon' is not linked or not of this machine");
#endif
  option.value.u.as_string.size = 3;
  expect_refused("option 'isa' is plain, avx2, avx512 or neon");
  option.value.tag = ET_VALUE_INT;
  expect_refused("option 'isa': there is just 'isa', a string");
}

static void test_without_an_option_the_widest_is_taken(void **state) {
  (void)state;
  write_static();
  must_load();
  const int isa = ((const et_cpu_handle *)session.handle)->isa;
  assert_true(et_cpu_isa_available((et_cpu_isa)isa));
  for (int wider = isa + 1; wider < ET_CPU_ISA_COUNT; wider++) {
    assert_false(et_cpu_isa_available((et_cpu_isa)wider));
  }
}

static void test_a_kind_that_is_not_linked_is_named(void **state) {
  (void)state;
  write_static();
  writer.steps.words[0] = 999;
  expect_refused("payload: steps[0] is of kind 999, which is not linked");
}

static void test_what_a_kind_refuses_is_told_with_its_step(void **state) {
  (void)state;
  write_static();
  writer.steps.words[9] = CPU_TEST_SUM; /* of the second step */
  expect_refused("steps[1]: sum: x is float32 and y one of it");
}

static void test_steps_may_work_in_place_where_their_kind_does(void **state) {
  (void)state;
  write_static();
  cpu_write_unary(&writer, CPU_TEST_SHIFT, 1, 1, 1);
  must_load();
  writer.steps.words[18] = CPU_TEST_SUM; /* does not */
  expect_refused("payload: steps[2] writes over another value of its own");
}

static void test_values_of_a_step_may_not_overlap(void **state) {
  (void)state;
  write_static();
  const uint32_t dims[2] = {0, 1};
  writer.scratch_bytes = 128;
  const uint32_t part =
      cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 4, dims, 2);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, 1, part, 1);
  expect_refused("payload: steps[2] writes over another value of its own");
}

/* y = x[0] in [n], over x in [5] where both have as many elements at most. */
static void test_in_place_is_for_as_many_elements(void **state) {
  (void)state;
  const et_cpu_dim rows = {ET_CPU_DIM_SIZE, 0, 0, 5};
  const uint32_t one[1] = {cpu_write_dim(&writer, rows)};
  const uint32_t all[2] = {one[0], cpu_write_const(&writer, 3)};
  const uint32_t five[1] = {cpu_write_const(&writer, 5)};
  writer.inputs = writer.outputs = 1;
  writer.scratch_bytes = 20;
  const uint32_t x = cpu_write_floats(&writer, ET_CPU_INPUT, 0, 0, all, 2);
  const uint32_t y = cpu_write_floats(&writer, ET_CPU_OUTPUT, 0, 0, all, 2);
  const uint32_t h = cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 0, five, 1);
  const uint32_t over = cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 0, one, 1);
  cpu_write_step(&writer, CPU_TEST_FIRST, (uint32_t[]){1, 1, 0, 0, 0},
                 (uint32_t[]){x, h}, NULL, NULL);
  cpu_write_step(&writer, CPU_TEST_FIRST, (uint32_t[]){1, 1, 0, 0, 0},
                 (uint32_t[]){h, over}, NULL, NULL);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, x, y, 0);
  must_load();
  cpu_sample_make(&samples[0], 5, 3);
  must_call(2);
  cpu_sample_make(&samples[0], 4, 3);
  expect_call_refused(
      2,
      "steps[1]: first: works in place on 5 elements of float32, its output "
      "has 4 of float32");
}

static void test_only_scratch_and_outputs_are_written(void **state) {
  (void)state;
  write_static();
  cpu_write_unary(&writer, CPU_TEST_SHIFT, 1, 0, 1);
  expect_refused("payload: steps[2] writes where nothing may be written");
}

static void test_what_is_read_is_written_before(void **state) {
  (void)state;
  write_static();
  writer.steps.words[6] = 1; /* the first step reads what it writes */
  writer.steps.words[7] = 2;
  expect_refused("payload: steps[0] reads what is not written before");
}

/* [2, 3] is read where two steps write [3] each. */
static void test_pieces_may_be_written_one_by_one(void **state) {
  (void)state;
  write_static();
  const uint32_t row[1] = {1};
  const uint32_t x = cpu_write_floats(&writer, ET_CPU_DATA, 0, 0, row, 1);
  cpu_write_data(&writer, "weights", sizeof cpu_session_weights);
  const uint32_t top = cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 0, row, 1);
  const uint32_t low = cpu_write_floats(&writer, ET_CPU_SCRATCH, 0, 12, row, 1);
  writer.steps.count = 0;
  writer.step_count = 0;
  cpu_write_unary(&writer, CPU_TEST_SHIFT, x, low, 1);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, x, top, 2);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, 1, 2, 0);
  must_load();
  must_call(2);
  assert_true(samples[1].data[0] == 3 && samples[1].data[3] == 2);
  writer.steps.words[7] = top; /* twice the first row */
  expect_refused("payload: steps[2] reads what is not written before");
}

static void test_every_output_is_written(void **state) {
  (void)state;
  write_static();
  writer.step_count = 1;
  writer.steps.count = 9;
  expect_refused("payload: output 0 is not written");
  writer.outputs = 2;
  writer.step_count = 2;
  writer.steps.count = 18;
  expect_refused("payload: output 1 is not written");
}

/* A step that reads `count` times what the first one has written, and writes
 * nothing. */
static void write_reads(uint32_t count) {
  uint32_t values[24];
  const uint32_t counts[5] = {count, 0, 0, 0, 0};
  for (uint32_t i = 0; i < count; i++) {
    values[i] = 1;
  }
  cpu_write_step(&writer, CPU_TEST_SHIFT, counts, values, NULL, NULL);
}

static void test_m23_payloads_that_take_long_to_check_are_refused(
    void **state) {
  (void)state;
  write_static();
  for (uint32_t i = 0; i < 2000; i++) {
    write_reads(24);
  }
  expect_refused("payload: steps[1180] is one of too many to be checked");
  memset(&writer, 0, sizeof writer);
  for (uint32_t i = 0; i < 8193; i++) {
    cpu_write_data(&writer, "", 0);
    cpu_write_floats(&writer, ET_CPU_DATA, i, 0, NULL, 0);
  }
  expect_refused("payload: 8193 pieces of data for 8193 values are too many");
}

/* Changes one word of a section of write_static, and expects it to be refused. */
static void expect_word_refused(cpu_section *section, size_t at, uint32_t word,
                                const char *message) {
  const uint32_t old = section->words[at];
  section->words[at] = word;
  expect_refused(message);
  section->words[at] = old;
}

static void test_numbers_out_of_range_are_named(void **state) {
  (void)state;
  write_static();
  expect_word_refused(&writer.dims, 0, 10, "payload: dims[0]: op 10");
  expect_word_refused(&writer.dims, 4, 3, "payload: dims[1]: a 3");
  expect_word_refused(&writer.dims, 5, 4, "payload: dims[1]: maximum 3");
  expect_word_refused(&writer.values, 0, 9, "payload: values[0]: dtype 9");
  expect_word_refused(&writer.values, 1, 9, "payload: values[0]: rank 9");
  expect_word_refused(&writer.values, 2, 5, "payload: values[0]: index 0");
  expect_word_refused(&writer.values, 3, 1, "payload: values[0]: index 1");
  expect_word_refused(&writer.values, 4, 4, "payload: values[0]: offset 4");
  expect_word_refused(&writer.values, 12, 2, "payload: values[1]: offset 2");
  expect_word_refused(&writer.values, 6, 2, "payload: values[0]: dim 2");
  expect_word_refused(&writer.steps, 6, 3, "payload: steps[0]: value 3");
  expect_word_refused(&writer.steps, 1, UINT32_MAX,
                      "payload: steps[0] reaches behind the end");
}

static void test_values_outside_their_place_are_refused(void **state) {
  (void)state;
  write_static();
  expect_word_refused(&writer.values, 12, 44,
                      "payload: values[1] does not fit where it lies");
  expect_word_refused(&writer.values, 5, 0x11,
                      "payload: values[0] does not fit where it lies");
  expect_word_refused(&writer.values, 5, 0x210,
                      "payload: values[0] does not fit where it lies");
  writer.dims.words[1] = writer.dims.words[3] = INT32_MAX;
  expect_refused("payload: values[0] has too many elements");
}

static void test_an_int_is_no_tensor(void **state) {
  (void)state;
  write_static();
  const et_cpu_dim as_int = {ET_CPU_DIM_INT, 0, 0, 5};
  cpu_write_dim(&writer, as_int);
  expect_refused("payload: values[0] does not fit where it lies");
}

static void test_named_data_must_be_what_the_payload_says(void **state) {
  (void)state;
  write_static();
  cpu_write_data(&writer, "weight", 64);
  expect_refused("no such data");
  writer.data_count = writer.key_bytes = 0;
  writer.data.count = 0;
  cpu_write_data(&writer, "weights", 60);
  expect_refused("named data has 64 bytes; the payload says 60");
  writer.data.words[0] = 1;
  expect_refused("payload: data[0]: key offset 1");
}

static void test_payloads_of_others_are_refused(void **state) {
  (void)state;
  write_static();
  et_span span = cpu_write_finish(&writer);
  const et_span nothing = {NULL, 0};
  assert_int_equal(cpu_session_load(&session, nothing),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
  assert_string_equal(session.error.message,
                      "payload: it is none of this backend");
  et_error_clear(&session.error);
  writer.bytes[4] = 2;
  cpu_session_load(&session, span);
  assert_string_equal(session.error.message,
                      "payload: version 2; this runtime reads version 1");
  writer.bytes[4] = 1;
  et_error_clear(&session.error);
  span.size -= 4;
  cpu_session_load(&session, span);
  assert_string_equal(session.error.message,
                      "payload: its length is not the one that it states");
}

/* Loads `payload`, and calls it when it is taken. */
static void survive(et_span payload) {
  et_error_clear(&session.error);
  if (cpu_session_load(&session, payload) == ET_STATUS_OK) {
    for (size_t i = 0; i < 3; i++) {
      cpu_sample_make(&samples[i], 2, 3);
    }
    cpu_session_call(&session, args, writer.inputs + (size_t)1);
  }
  cpu_session_end(&session);
}

static void survive_all_changes(et_span span) {
  for (size_t at = 0; at < span.size; at++) {
    const uint8_t old = writer.bytes[at];
    for (unsigned byte = 0; byte < 256; byte++) {
      writer.bytes[at] = (uint8_t)byte;
      survive(span);
    }
    writer.bytes[at] = old;
  }
}

/* total += 5; y = total + 1, of [2, 3]. */
static void write_stateful(void) {
  const uint32_t dims[2] = {cpu_write_const(&writer, 2),
                            cpu_write_const(&writer, 3)};
  writer.inputs = 2;
  writer.outputs = 1;
  const uint32_t x = cpu_write_floats(&writer, ET_CPU_INPUT, 0, 0, dims, 2);
  const uint32_t s = cpu_write_floats(&writer, ET_CPU_STATE, 1, 0, dims, 2);
  const uint32_t y = cpu_write_floats(&writer, ET_CPU_OUTPUT, 0, 0, dims, 2);
  (void)x;
  cpu_write_unary(&writer, CPU_TEST_SHIFT, s, s, 5);
  cpu_write_unary(&writer, CPU_TEST_SHIFT, s, y, 1);
}

static void test_states_are_updated_where_they_lie(void **state) {
  (void)state;
  write_stateful();
  must_load();
  assert_int_equal(session.needed.updated_count, 1);
  assert_int_equal(session.needed.output_count, 1);
  must_call(3);
  must_call(3);
  for (size_t i = 0; i < 6; i++) {
    assert_true(samples[1].data[i] == (float)(i + 1 + 10));
    assert_true(samples[2].data[i] == (float)(i + 1 + 11));
  }
}

static void test_states_are_the_last_inputs(void **state) {
  (void)state;
  write_stateful();
  writer.values.words[3] = 1; /* an input where the state is */
  expect_refused("payload: values[0] does not fit where it lies");
  writer.values.words[3] = 0;
  writer.inputs = 3;
  expect_refused("payload: input 2 stands among states and is none");
}

static void test_every_cut_and_changed_payload_is_survived(void **state) {
  (void)state;
  write_dynamic();
  cpu_write_data(&writer, "weights", sizeof cpu_session_weights);
  const uint32_t dims[1] = {COLUMNS};
  cpu_write_floats(&writer, ET_CPU_DATA, 0, 0, dims, 1);
  et_span span = cpu_write_finish(&writer);
  survive_all_changes(span);
  for (; span.size > 0; span.size--) {
    survive(span);
  }
}

static void test_every_changed_payload_with_a_state_is_survived(void **state) {
  (void)state;
  write_stateful();
  survive_all_changes(cpu_write_finish(&writer));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_steps_run_in_order_over_scratch),
      TEST(test_handle_takes_the_documented_bytes),
      TEST(test_named_data_is_used_where_it_lies),
      TEST(test_sizes_follow_the_arguments),
      TEST(test_sizes_beyond_the_bound_are_refused),
      TEST(test_int_arguments_are_dims),
      TEST(test_inputs_in_another_dim_order_have_dims_in_memory_order),
      TEST(test_arguments_of_another_kind_are_refused),
      TEST(test_an_observer_is_told_of_each_step),
      TEST(test_the_option_isa_chooses),
      TEST(test_without_an_option_the_widest_is_taken),
      TEST(test_a_kind_that_is_not_linked_is_named),
      TEST(test_what_a_kind_refuses_is_told_with_its_step),
      TEST(test_steps_may_work_in_place_where_their_kind_does),
      TEST(test_values_of_a_step_may_not_overlap),
      TEST(test_in_place_is_for_as_many_elements),
      TEST(test_only_scratch_and_outputs_are_written),
      TEST(test_what_is_read_is_written_before),
      TEST(test_pieces_may_be_written_one_by_one),
      TEST(test_every_output_is_written),
      TEST(test_m23_payloads_that_take_long_to_check_are_refused),
      TEST(test_numbers_out_of_range_are_named),
      TEST(test_values_outside_their_place_are_refused),
      TEST(test_an_int_is_no_tensor),
      TEST(test_named_data_must_be_what_the_payload_says),
      TEST(test_payloads_of_others_are_refused),
      TEST(test_states_are_updated_where_they_lie),
      TEST(test_states_are_the_last_inputs),
      TEST(test_every_cut_and_changed_payload_is_survived),
      TEST(test_every_changed_payload_with_a_state_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
