/* Tests that invalid payloads are rejected and that damaged payloads do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backends/cpu/runtime/testing/cpu_fixture.h"

static cpu_writer *const writer = &cpu_test.writer;
static cpu_session *const session = &cpu_test.session;
static cpu_sample *const samples = cpu_test.samples;
static et_value **const args = cpu_test.args;

static void test_rejects_ops_that_are_not_linked(void **state) {
  (void)state;
  cpu_test_write_static();
  writer->ops.words[0] = 999;
  cpu_test_expect_refused("payload: ops[0] is op 999, which is not linked");
}

static void test_reports_the_rejected_op(void **state) {
  (void)state;
  cpu_test_write_static();
  writer->ops.words[9] = CPU_TEST_SUM; /* op type of the second op */
  cpu_test_expect_refused("ops[1]: sum: 0 dims, expected 1");
}

static void test_allows_overwriting_only_if_the_op_type_does(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_write_unary(writer, CPU_TEST_SHIFT, 1, 1, 1);
  cpu_test_must_load();
  writer->ops.words[18] = CPU_TEST_SUM; /* op type without in-place support */
  cpu_test_expect_refused("payload: ops[2] overwrites another of its tensors");
}

static void test_rejects_overlapping_values_of_an_op(void **state) {
  (void)state;
  cpu_test_write_static();
  const uint32_t dims[2] = {0, 1};
  writer->scratch_bytes = 128;
  const uint32_t part =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 4, dims, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, 1, part, 1);
  cpu_test_expect_refused("payload: ops[2] overwrites another of its tensors");
}

static void test_rejects_workspaces_that_overlap_an_input(void **state) {
  (void)state;
  cpu_test_write_static();
  const uint32_t dims[2] = {0, 1};
  writer->scratch_bytes = 128;
  const uint32_t out =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 64, dims, 2);
  const uint32_t attribute = 0;
  cpu_write_op(writer, CPU_TEST_SHIFT, (uint32_t[]){1, 1, 1, 0, 1},
               (uint32_t[]){1, out, 1}, NULL, &attribute);
  cpu_test_expect_refused("payload: ops[2] overwrites another of its tensors");
}

static void test_accepts_an_output_directly_before_the_input(void **state) {
  (void)state;
  cpu_test_write_static();
  const uint32_t dims[2] = {0, 1};
  const uint32_t next =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 24, dims, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, 1, next, 1);
  cpu_write_unary(writer, CPU_TEST_SHIFT, next, 1, 1);
  cpu_test_must_load();
}

/* Adds y = op(h) with a new tensor of `rank` dims. Returns y. */
static uint32_t add_op(uint32_t kind, const uint32_t *shape, uint32_t rank,
                       const uint32_t *dims, uint32_t dim_count) {
  const uint32_t attribute = 0;
  writer->scratch_bytes = 256;
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 64, shape, rank);
  cpu_write_op(writer, kind,
               (uint32_t[]){1, 1, 0, dim_count, kind == CPU_TEST_SHIFT},
               (uint32_t[]){1, y}, dims, &attribute);
  return y;
}

static void test_rejects_static_ops_of_wrong_sizes_when_loading(void **state) {
  (void)state;
  cpu_test_write_static();
  add_op(CPU_TEST_SHIFT, (uint32_t[]){0}, 1, NULL, 0);
  cpu_test_expect_refused("ops[2]: shift: x and y have different sizes");
}

/* y has shape [2, n] with n <= 5, h has shape [2, 3]. */
static void test_compares_dynamic_sizes_only_in_calls(void **state) {
  (void)state;
  cpu_test_write_static();
  const uint32_t n =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 1, 5});
  const uint32_t y = add_op(CPU_TEST_SHIFT, (uint32_t[]){0, n}, 2, NULL, 0);
  cpu_write_unary(writer, CPU_TEST_SHIFT, y, 1, 0);
  cpu_test_must_load();
}

static void test_compares_dynamic_dims_only_in_calls(void **state) {
  (void)state;
  const uint32_t shape[2] = {0, 1};
  cpu_test_write_static();
  const uint32_t n =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 1, 5});
  add_op(CPU_TEST_BOUNDED, shape, 2, (uint32_t[]){n}, 1);
  add_op(CPU_TEST_BOUNDED, shape, 2, (uint32_t[]){0, n}, 2);
  cpu_test_must_load();
  const uint32_t large = cpu_write_const(writer, 9);
  add_op(CPU_TEST_BOUNDED, shape, 2, (uint32_t[]){0, large}, 2);
  cpu_test_expect_refused("ops[4]: bounded: dim 1 is 9");
}

/* Writes y = x[0], shape [n], in the memory of x, shape [5]. Both have the same size in bytes at
 * the maximum n = 5. */
static void test_rejects_in_place_ops_on_fewer_elements(void **state) {
  (void)state;
  const et_cpu_dim rows = {ET_CPU_DIM_OP_SIZE, 0, 0, 5};
  const uint32_t one[1] = {cpu_write_dim(writer, rows)};
  const uint32_t all[2] = {one[0], cpu_write_const(writer, 3)};
  const uint32_t five[1] = {cpu_write_const(writer, 5)};
  writer->inputs = writer->outputs = 1;
  writer->scratch_bytes = 20;
  const uint32_t x = cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, all, 2);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, all, 2);
  const uint32_t h =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, five, 1);
  const uint32_t over =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, one, 1);
  cpu_write_op(writer, CPU_TEST_FIRST, (uint32_t[]){1, 1, 0, 0, 0},
               (uint32_t[]){x, h}, NULL, NULL);
  cpu_write_op(writer, CPU_TEST_FIRST, (uint32_t[]){1, 1, 0, 0, 0},
               (uint32_t[]){h, over}, NULL, NULL);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, y, 0);
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 5, 3);
  cpu_test_must_call(2);
  cpu_sample_make(&samples[0], 4, 3);
  cpu_test_expect_call_refused(2,
                               "ops[1]: first: in-place input has 5 elements "
                               "of float32, output has 4 of float32");
}

static void test_rejects_writes_outside_scratch_and_outputs(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_write_unary(writer, CPU_TEST_SHIFT, 1, 0, 1);
  cpu_test_expect_refused(
      "payload: ops[2] writes to memory that it must not modify");
}

static void test_rejects_reads_of_unwritten_values(void **state) {
  (void)state;
  cpu_test_write_static();
  writer->ops.words[6] = 1; /* the first op reads its own output */
  writer->ops.words[7] = 2;
  cpu_test_expect_refused(
      "payload: ops[0] reads a tensor before it is written");
}

/* An op between the writer and the reader of h has a workspace at the last element of h. */
static void test_rejects_reads_of_overwritten_values(void **state) {
  (void)state;
  cpu_test_write_static();
  writer->ops.count = 9;
  writer->op_count = 1;
  writer->scratch_bytes = 128;
  const uint32_t one[1] = {cpu_write_const(writer, 1)};
  const uint32_t out =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 64, one, 1);
  const uint32_t apart =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 96, one, 1);
  const uint32_t last =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 20, one, 1);
  const uint32_t attribute = 0;
  cpu_write_op(writer, CPU_TEST_SHIFT, (uint32_t[]){1, 1, 1, 0, 1},
               (uint32_t[]){0, out, apart}, NULL, &attribute);
  cpu_write_unary(writer, CPU_TEST_SHIFT, 1, 2, 0);
  cpu_test_expect_refused("ops[1]: shift: 1 workspaces, expected 0");
  writer->ops.words[17] = last;
  cpu_test_expect_refused(
      "payload: ops[2] reads a tensor before it is written");
}

/* Two ops write [3] each, and a third reads [2, 3]. */
static void test_accepts_a_tensor_written_in_parts(void **state) {
  (void)state;
  cpu_test_write_static();
  const uint32_t row[1] = {1};
  const uint32_t x = cpu_write_floats(writer, ET_CPU_PLACE_DATA, 0, 0, row, 1);
  cpu_write_data(writer, "weights", sizeof cpu_session_weights);
  const uint32_t top =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, row, 1);
  const uint32_t low =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 12, row, 1);
  writer->ops.count = 0;
  writer->op_count = 0;
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, low, 1);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, top, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, 1, 2, 0);
  cpu_test_must_load();
  cpu_test_must_call(2);
  assert_true(samples[1].data[0] == 3 && samples[1].data[3] == 2);
  writer->ops.words[7] = top; /* writes the first row twice */
  cpu_test_expect_refused(
      "payload: ops[2] reads a tensor before it is written");
}

static void test_rejects_unwritten_outputs(void **state) {
  (void)state;
  cpu_test_write_static();
  writer->op_count = 1;
  writer->ops.count = 9;
  cpu_test_expect_refused("payload: output 0 is not written");
  writer->outputs = 2;
  writer->op_count = 2;
  writer->ops.count = 18;
  cpu_test_expect_refused("payload: output 1 is not written");
}

/* Writes an op without outputs that reads the output of the first op `count` times. */
static void write_reads(uint32_t count) {
  uint32_t values[24];
  const uint32_t counts[5] = {count, 0, 0, 0, 0};
  for (uint32_t i = 0; i < count; i++) {
    values[i] = 1;
  }
  cpu_write_op(writer, CPU_TEST_SHIFT, counts, values, NULL, NULL);
}

static void test_rejects_payloads_that_take_long_to_verify(void **state) {
  (void)state;
  cpu_test_write_static();
  for (uint32_t i = 0; i < 2000; i++) {
    write_reads(24);
  }
  cpu_test_expect_refused("payload: ops[1180] exceeds the verifier's limit");
  memset(writer, 0, sizeof *writer);
  for (uint32_t i = 0; i < 8193; i++) {
    cpu_write_data(writer, "", 0);
    cpu_write_floats(writer, ET_CPU_PLACE_DATA, i, 0, NULL, 0);
  }
  cpu_test_expect_refused(
      "payload: too many data entries: 8193 for 8193 values");
}

/* Changes one word of a section of write_static and expects the payload to be rejected. */
static void expect_word_refused(cpu_section *section, size_t at, uint32_t word,
                                const char *message) {
  const uint32_t old = section->words[at];
  section->words[at] = word;
  cpu_test_expect_refused(message);
  section->words[at] = old;
}

static void test_reports_fields_that_are_out_of_range(void **state) {
  (void)state;
  cpu_test_write_static();
  expect_word_refused(&writer->dims, 0, 10, "payload: dims[0]: invalid op 10");
  expect_word_refused(&writer->dims, 4, 3, "payload: dims[1]: invalid a 3");
  expect_word_refused(&writer->dims, 5, 4,
                      "payload: dims[1]: invalid maximum 3");
  expect_word_refused(&writer->values, 0, 12,
                      "payload: values[0]: invalid dtype 12");
  expect_word_refused(&writer->values, 1, 9,
                      "payload: values[0]: invalid rank 9");
  expect_word_refused(&writer->values, 2, 5,
                      "payload: values[0]: invalid index 0");
  expect_word_refused(&writer->values, 3, 1,
                      "payload: values[0]: invalid index 1");
  expect_word_refused(&writer->values, 4, 4,
                      "payload: values[0]: invalid offset 4");
  expect_word_refused(&writer->values, 12, 2,
                      "payload: values[1]: invalid offset 2");
  expect_word_refused(&writer->values, 6, 2,
                      "payload: values[0]: invalid dim 2");
  expect_word_refused(&writer->ops, 6, 3, "payload: ops[0]: invalid value 3");
  expect_word_refused(&writer->ops, 1, UINT32_MAX,
                      "payload: ops[0] is truncated");
}

static void test_computes_dims_from_earlier_dims(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_ADD, 0, 1, 5});
  cpu_test_must_load();
  expect_word_refused(&writer->dims, 9, 2, "payload: dims[2]: invalid a 2");
  expect_word_refused(&writer->dims, 10, 2, "payload: dims[2]: invalid b 2");
}

static void test_rejects_values_outside_their_place(void **state) {
  (void)state;
  cpu_test_write_static();
  expect_word_refused(&writer->values, 12, 44,
                      "payload: values[1] does not fit in its memory region");
  expect_word_refused(&writer->values, 5, 0x11,
                      "payload: values[0] does not fit in its memory region");
  expect_word_refused(&writer->values, 5, 0x210,
                      "payload: values[0] does not fit in its memory region");
  writer->dims.words[1] = writer->dims.words[3] = INT32_MAX;
  cpu_test_expect_refused("payload: values[0] has too many elements");
}

/* On 32-bit targets, the size of h in bytes does not fit in size_t. It is 0 modulo 2^32. */
static void test_rejects_scratch_values_of_4_gib(void **state) {
  (void)state;
  const uint32_t dims[1] = {
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 1u << 30})};
  cpu_test_write_shifts(dims, 1);
  cpu_test_expect_refused(
      sizeof(size_t) > 4
          ? "payload: values[1] does not fit in its memory region"
          : "payload: values[0] has too many elements");
}

static void test_rejects_an_int_in_place_of_a_tensor(void **state) {
  (void)state;
  cpu_test_write_static();
  const et_cpu_dim as_int = {ET_CPU_DIM_OP_INT, 0, 0, 5};
  cpu_write_dim(writer, as_int);
  cpu_test_expect_refused(
      "payload: values[0] does not fit in its memory region");
}

static void test_rejects_dims_that_use_an_int_as_tensor(void **state) {
  (void)state;
  const uint32_t one[1] = {
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_INT, 0, 0, 5})};
  cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 5});
  writer->inputs = writer->outputs = 1;
  cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, one, 1);
  cpu_test_expect_refused(
      "payload: dims[1]: argument is used as both int and tensor");
}

/* Inputs after the first one are unused. */
static void test_limits_the_number_of_arguments(void **state) {
  (void)state;
  cpu_test_write_static();
  writer->inputs = ET_CPU_MAX_ARGUMENTS;
  cpu_test_must_load();
  writer->inputs = ET_CPU_MAX_ARGUMENTS + 1;
  cpu_test_expect_refused("payload: too many arguments");
}

static void test_rejects_mismatched_named_data(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_write_data(writer, "weight", 64);
  cpu_test_expect_refused("no such data");
  writer->data_count = writer->key_bytes = 0;
  writer->data.count = 0;
  cpu_write_data(writer, "weights", 60);
  cpu_test_expect_refused("named data has 64 bytes, expected 60");
  writer->data.words[0] = 1;
  cpu_test_expect_refused("payload: data[0]: invalid key offset 1");
}

static void test_rejects_payloads_of_other_backends(void **state) {
  (void)state;
  cpu_test_write_static();
  et_span span = cpu_write_finish(writer);
  const et_span nothing = {NULL, 0};
  assert_int_equal(cpu_session_load(session, nothing),
                   ET_STATUS_DELEGATE_INCOMPATIBLE);
  assert_string_equal(session->error.message,
                      "payload: not a payload of this backend");
  et_error_clear(&session->error);
  writer->bytes[4] = 2;
  cpu_session_load(session, span);
  assert_string_equal(session->error.message,
                      "payload: version 2; this runtime reads version 1");
  writer->bytes[4] = 1;
  et_error_clear(&session->error);
  span.size -= 4;
  cpu_session_load(session, span);
  assert_string_equal(session->error.message,
                      "payload: size does not match the header");
}

/* Loads `payload` and, if loading succeeds, calls it. */
static void expect_no_crash(et_span payload) {
  et_error_clear(&session->error);
  if (cpu_session_load(session, payload) == ET_STATUS_OK) {
    for (size_t i = 0; i < 3; i++) {
      cpu_sample_make(&samples[i], 2, 3);
    }
    cpu_session_call(session, args, writer->inputs + (size_t)1);
  }
  cpu_session_end(session);
}

static void expect_no_crash_after_changes(et_span span) {
  for (size_t at = 0; at < span.size; at++) {
    const uint8_t old = writer->bytes[at];
    for (unsigned byte = 0; byte < 256; byte++) {
      writer->bytes[at] = (uint8_t)byte;
      expect_no_crash(span);
    }
    writer->bytes[at] = old;
  }
}

static void test_rejects_states_before_other_inputs(void **state) {
  (void)state;
  cpu_test_write_stateful();
  writer->values.words[3] = 1; /* an input at the index of the state */
  cpu_test_expect_refused(
      "payload: values[0] does not fit in its memory region");
  writer->values.words[3] = 0;
  writer->inputs = 3;
  cpu_test_expect_refused(
      "payload: input 2 follows a state but is not a state");
}

static void test_tolerates_truncated_and_damaged_payloads(void **state) {
  (void)state;
  cpu_test_write_dynamic();
  cpu_write_data(writer, "weights", sizeof cpu_session_weights);
  const uint32_t dims[1] = {CPU_TEST_COLUMNS};
  cpu_write_floats(writer, ET_CPU_PLACE_DATA, 0, 0, dims, 1);
  et_span span = cpu_write_finish(writer);
  expect_no_crash_after_changes(span);
  for (; span.size > 0; span.size--) {
    expect_no_crash(span);
  }
}

static void test_tolerates_damaged_payloads_with_state(void **state) {
  (void)state;
  cpu_test_write_stateful();
  expect_no_crash_after_changes(cpu_write_finish(writer));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CPU_TEST(test_rejects_ops_that_are_not_linked),
      CPU_TEST(test_reports_the_rejected_op),
      CPU_TEST(test_allows_overwriting_only_if_the_op_type_does),
      CPU_TEST(test_rejects_overlapping_values_of_an_op),
      CPU_TEST(test_rejects_workspaces_that_overlap_an_input),
      CPU_TEST(test_accepts_an_output_directly_before_the_input),
      CPU_TEST(test_rejects_static_ops_of_wrong_sizes_when_loading),
      CPU_TEST(test_compares_dynamic_sizes_only_in_calls),
      CPU_TEST(test_compares_dynamic_dims_only_in_calls),
      CPU_TEST(test_rejects_in_place_ops_on_fewer_elements),
      CPU_TEST(test_rejects_writes_outside_scratch_and_outputs),
      CPU_TEST(test_rejects_reads_of_unwritten_values),
      CPU_TEST(test_rejects_reads_of_overwritten_values),
      CPU_TEST(test_accepts_a_tensor_written_in_parts),
      CPU_TEST(test_rejects_unwritten_outputs),
      CPU_TEST(test_rejects_payloads_that_take_long_to_verify),
      CPU_TEST(test_reports_fields_that_are_out_of_range),
      CPU_TEST(test_computes_dims_from_earlier_dims),
      CPU_TEST(test_rejects_values_outside_their_place),
      CPU_TEST(test_rejects_scratch_values_of_4_gib),
      CPU_TEST(test_rejects_an_int_in_place_of_a_tensor),
      CPU_TEST(test_rejects_dims_that_use_an_int_as_tensor),
      CPU_TEST(test_limits_the_number_of_arguments),
      CPU_TEST(test_rejects_mismatched_named_data),
      CPU_TEST(test_rejects_payloads_of_other_backends),
      CPU_TEST(test_rejects_states_before_other_inputs),
      CPU_TEST(test_tolerates_truncated_and_damaged_payloads),
      CPU_TEST(test_tolerates_damaged_payloads_with_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
