/* Tests of loading and calling payloads of CpuBackend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backends/cpu/runtime/handle.h"
#include "backends/cpu/runtime/isa.h"
#include "backends/cpu/runtime/testing/cpu_fixture.h"

static cpu_writer *const writer = &cpu_test.writer;
static cpu_session *const session = &cpu_test.session;
static cpu_sample *const samples = cpu_test.samples;
static et_value **const args = cpu_test.args;

static void test_ops_run_in_order_on_scratch(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_test_must_load();
  cpu_test_must_call(2);
  for (size_t i = 0; i < 6; i++) {
    assert_true(samples[1].data[i] == (float)(i + 1 + 10));
  }
}

static void test_handle_has_the_documented_size(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_test_must_load();
  assert_int_equal(session->needed.handle_bytes,
                   ET_CPU_HANDLE_BYTES(2, 2, 3, 2, 4, 0, 2));
  assert_int_equal(session->needed.scratch_bytes, 64);
  assert_int_equal(session->needed.output_count, 1);
}

static void test_reads_named_data_in_place(void **state) {
  (void)state;
  const uint32_t dims[1] = {cpu_write_const(writer, 6)};
  const uint32_t sizes[2] = {cpu_write_const(writer, 2),
                             cpu_write_const(writer, 3)};
  writer->outputs = 1;
  cpu_write_data(writer, "weights", sizeof cpu_session_weights);
  const uint32_t w =
      cpu_write_floats(writer, ET_CPU_PLACE_DATA, 0, 16, dims, 1);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, sizes, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, w, y, 0);
  cpu_test_must_load();
  cpu_test_must_call(1);
  assert_memory_equal(samples[0].data, cpu_session_weights + 4,
                      6 * sizeof(float));
}

/* Static payloads skip the update of dims on each call. The word after the last dim is the dtype of
 * a float32 value. It must not be read as the op of another dim. */
static void test_payloads_with_constant_dims_are_static(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_test_must_load();
  assert_true(((const et_cpu_handle *)session->handle)->is_static);
  memset(writer, 0, sizeof *writer);
  cpu_test_write_dynamic();
  cpu_test_must_load();
  assert_false(((const et_cpu_handle *)session->handle)->is_static);
}

static void test_sizes_follow_the_arguments(void **state) {
  (void)state;
  cpu_test_write_dynamic();
  cpu_test_must_load();
  for (int32_t rows = 5; rows >= 0; rows--) {
    cpu_sample_make(&samples[0], rows, 3);
    cpu_test_must_call(2);
    assert_int_equal(samples[1].sizes[0], rows);
    for (int32_t i = 0; i < rows * 3; i++) {
      assert_true(samples[1].data[i] == (float)(i + 1 + 5));
    }
  }
}

static void test_empty_tensors_have_a_valid_pointer(void **state) {
  (void)state;
  cpu_test_write_dynamic();
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 0, 3);
  samples[0].tensor.data = NULL;
  cpu_test_must_call(2);
  const et_cpu_handle *handle = session->handle;
  for (uint32_t i = 0; i < handle->payload.value_count; i++) {
    assert_int_equal(handle->tensors[i].bytes, 0);
    assert_non_null(handle->tensors[i].data);
  }
}

static void test_skips_ops_with_empty_outputs(void **state) {
  (void)state;
  cpu_test_write_dynamic();
  cpu_test_must_load();
  const size_t runs = cpu_test_runs;
  cpu_sample_make(&samples[0], 0, 3);
  cpu_test_must_call(2);
  assert_int_equal(cpu_test_runs, runs);
  cpu_sample_make(&samples[0], 1, 3);
  cpu_test_must_call(2);
  assert_int_equal(cpu_test_runs, runs + 2);
}

static void test_rejects_sizes_above_the_maximum(void **state) {
  (void)state;
  cpu_test_write_dynamic();
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 1, 3);
  cpu_test_must_call(2);
  samples[0].sizes[0] = 6;
  cpu_test_expect_call_refused(2, "dims[0] is 6, expected 0 to 5");
  cpu_sample_make(&samples[0], 2, 4);
  cpu_test_expect_call_refused(2, "argument 0, dim 1 is 4, expected 3");
  cpu_sample_make(&samples[0], 1, 3);
  cpu_test_must_call(2);
}

/* y = h + 1 reads all 5 rows of h, but the call writes only as many rows of h as x has. */
static void test_rejects_calls_that_read_unwritten_scratch(void **state) {
  (void)state;
  const uint32_t rows =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 5});
  const uint32_t columns = cpu_write_const(writer, 3);
  const uint32_t written[2] = {rows, columns};
  const uint32_t read[2] = {cpu_write_const(writer, 5), columns};
  writer->inputs = writer->outputs = 1;
  writer->scratch_bytes = 60;
  const uint32_t x =
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, written, 2);
  const uint32_t h =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, written, 2);
  const uint32_t all =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, read, 2);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, read, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, h, 1);
  cpu_write_unary(writer, CPU_TEST_SHIFT, all, y, 1);
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 5, 3);
  cpu_test_must_call(2);
  cpu_sample_make(&samples[0], 4, 3);
  cpu_test_expect_call_refused(
      2, "payload: ops[1] reads a tensor before it is written");
  cpu_test_expect_call_refused(
      2, "payload: ops[1] reads a tensor before it is written");
  cpu_sample_make(&samples[0], 5, 3);
  cpu_test_must_call(2);
}

/* y is an output, but the call writes only as many of its rows as x has. */
static void test_rejects_calls_that_leave_outputs_unwritten(void **state) {
  (void)state;
  const uint32_t rows =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 5});
  const uint32_t columns = cpu_write_const(writer, 3);
  const uint32_t written[2] = {rows, columns};
  const uint32_t all[2] = {cpu_write_const(writer, 5), columns};
  writer->inputs = writer->outputs = 1;
  const uint32_t x =
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, written, 2);
  cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, all, 2);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, written, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, y, 1);
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 4, 3);
  assert_int_not_equal(cpu_test_call(2), ET_STATUS_OK);
  cpu_sample_make(&samples[0], 5, 3);
  cpu_test_must_call(2);
}

/* y = x + 1 has 2 rows, but x may have up to 5. */
static void test_checks_ops_with_dynamic_sizes_in_calls(void **state) {
  (void)state;
  const uint32_t rows =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 5});
  const uint32_t columns = cpu_write_const(writer, 3);
  const uint32_t given[2] = {rows, columns};
  const uint32_t expected[2] = {cpu_write_const(writer, 2), columns};
  writer->inputs = writer->outputs = 1;
  const uint32_t x =
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, given, 2);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, expected, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, y, 1);
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 5, 3);
  cpu_test_expect_call_refused(2,
                               "ops[0]: shift: x and y have different sizes");
  cpu_sample_make(&samples[0], 2, 3);
  cpu_test_must_call(2);
}

/* x and y are [n, 3] with n <= 5; the op computes their views [n / 2, 6]. */
static void test_views_may_have_different_maxima_than_their_arguments(
    void **state) {
  (void)state;
  const uint32_t rows =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 5});
  const uint32_t two = cpu_write_const(writer, 2);
  const uint32_t halves =
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_FLOORDIV, rows, two, 2});
  const uint32_t whole[2] = {rows, cpu_write_const(writer, 3)};
  const uint32_t view[2] = {halves, cpu_write_const(writer, 6)};
  writer->inputs = writer->outputs = 1;
  cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, whole, 2);
  cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, whole, 2);
  const uint32_t x =
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, view, 2);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, view, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, y, 1);
  cpu_test_must_load();
  cpu_sample_make(&samples[0], 5, 3);
  cpu_test_expect_call_refused(
      2, "values[2] and its argument have different numbers of elements");
  cpu_sample_make(&samples[0], 4, 3);
  cpu_test_must_call(2);
}

static void test_int_arguments_are_dims(void **state) {
  (void)state;
  const et_cpu_dim dim = {ET_CPU_DIM_OP_INT, 1, 0, 100};
  const uint32_t counts[5] = {1, 1, 0, 1, 0};
  const uint32_t sizes[2] = {cpu_write_const(writer, 2),
                             cpu_write_const(writer, 3)};
  const uint32_t one = cpu_write_const(writer, 1);
  const uint32_t ones[2] = {one, one};
  const uint32_t addend[1] = {cpu_write_dim(writer, dim)};
  const uint32_t values[2] = {
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, sizes, 2),
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, ones, 2)};
  writer->inputs = 2;
  writer->outputs = 1;
  cpu_write_op(writer, CPU_TEST_SUM, counts, values, addend, NULL);
  cpu_test_must_load();
  cpu_test.number.tag = ET_VALUE_INT;
  cpu_test.number.u.as_int = 20;
  args[1] = &cpu_test.number;
  cpu_test_must_call(3);
  assert_true(samples[2].data[0] == 21 + 20);
  cpu_test.number.u.as_int = 101;
  cpu_test_expect_call_refused(3, "dims[3] is 101, expected 0 to 100");
  cpu_test.number.u.as_int = INT64_MIN;
  assert_int_equal(cpu_test_call(3), ET_STATUS_INVALID_ARGUMENT);
  cpu_test.number.tag = ET_VALUE_BOOL;
  cpu_test_expect_call_refused(3, "argument 1 is not an int");
}

/* Returns the dim that `op` computes from the numbers of rows and columns of a tensor. */
static float computed_dim(et_cpu_dim_op op, int32_t rows, int32_t columns) {
  const uint32_t counts[5] = {1, 1, 0, 1, 0};
  cpu_test_finish(NULL);
  cpu_test_start(NULL);
  const uint32_t sizes[2] = {
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 0, 5}),
      cpu_write_dim(writer, (et_cpu_dim){ET_CPU_DIM_OP_SIZE, 0, 1, 5})};
  const uint32_t one = cpu_write_const(writer, 1);
  const uint32_t ones[2] = {one, one};
  const uint32_t dim[1] = {cpu_write_dim(
      writer, (et_cpu_dim){(uint32_t)op, sizes[0], sizes[1], 10})};
  const uint32_t values[2] = {
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, sizes, 2),
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, ones, 2)};
  writer->inputs = writer->outputs = 1;
  cpu_write_op(writer, CPU_TEST_SUM, counts, values, dim, NULL);
  cpu_test_must_load();
  cpu_sample_make(&samples[0], rows, columns);
  cpu_test_must_call(2);
  const int32_t numel = rows * columns;
  return samples[1].data[0] - (float)(numel * (numel + 1) / 2);
}

static void test_computes_dims_from_other_dims(void **state) {
  (void)state;
  assert_true(computed_dim(ET_CPU_DIM_OP_ADD, 5, 2) == 7);
  assert_true(computed_dim(ET_CPU_DIM_OP_SUB, 5, 2) == 3);
  assert_true(computed_dim(ET_CPU_DIM_OP_MUL, 5, 2) == 10);
  assert_true(computed_dim(ET_CPU_DIM_OP_FLOORDIV, 5, 2) == 2);
  assert_true(computed_dim(ET_CPU_DIM_OP_MOD, 5, 2) == 1);
  assert_true(computed_dim(ET_CPU_DIM_OP_MIN, 5, 2) == 2);
  assert_true(computed_dim(ET_CPU_DIM_OP_MIN, 2, 5) == 2);
  assert_true(computed_dim(ET_CPU_DIM_OP_MAX, 5, 2) == 5);
  assert_true(computed_dim(ET_CPU_DIM_OP_MAX, 2, 5) == 5);
}

/* The first value of this payload is an int16 scalar at input 0. If it were read as another dim,
 * it would refer to int argument 0. */
static void test_does_not_read_values_as_dims(void **state) {
  (void)state;
  const uint32_t dtype = ET_SCALAR_TYPE_INT16;
  const uint32_t size[1] = {cpu_write_const(writer, 1)};
  assert_int_equal(dtype, ET_CPU_DIM_OP_INT);
  writer->inputs = writer->outputs = 1;
  cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, NULL, 0);
  writer->values.words[0] = dtype;
  cpu_write_data(writer, "weights", sizeof cpu_session_weights);
  const uint32_t w = cpu_write_floats(writer, ET_CPU_PLACE_DATA, 0, 0, size, 1);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, size, 1);
  cpu_write_unary(writer, CPU_TEST_SHIFT, w, y, 1);
  cpu_test_must_load();
}

static void test_input_dims_are_in_memory_order_for_any_dim_order(
    void **state) {
  (void)state;
  cpu_test_write_static();
  writer->values.words[5] = 0x01; /* x: columns outermost */
  cpu_test_must_load();
  cpu_test_expect_call_refused(2, "argument 0 has the wrong rank or dim order");
  cpu_sample_make(&samples[0], 3, 2);
  samples[0].order[0] = 1;
  samples[0].order[1] = 0;
  cpu_test_must_call(2);
  assert_true(samples[1].data[5] == 16);
}

static void test_rejects_arguments_of_wrong_types(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_test_must_load();
  cpu_test_expect_call_refused(3, "3 arguments, expected 2");
  samples[0].tensor.dtype = ET_SCALAR_TYPE_INT32;
  cpu_test_expect_call_refused(2, "argument 0 has the wrong dtype");
  cpu_sample_make(&samples[0], 2, 3);
  samples[0].tensor.data = NULL;
  cpu_test_expect_call_refused(2, "argument 0 has no data");
  cpu_test.number.tag = ET_VALUE_INT;
  args[0] = &cpu_test.number;
  cpu_test_expect_call_refused(2, "argument 0 is not a tensor");
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

static void test_reports_each_op_to_the_observer(void **state) {
  (void)state;
  const et_observer observer = {NULL, on_begin, on_end, NULL};
  cpu_test_write_static();
  cpu_test_must_load();
  session->observer = &observer;
  cpu_test_must_call(2);
  assert_int_equal(events.begins, 2);
  assert_int_equal(events.ends, 2);
  assert_string_equal(events.begun[0], "shift");
  assert_int_equal(events.indices[1], 1);
}

static void test_option_isa_selects_the_instruction_set(void **state) {
  (void)state;
  et_cpu_isa isa = ET_CPU_PLAIN;
  while (!et_cpu_isa_available(isa)) {
    isa++;
  }
  et_backend_option option = et_cpu_force_isa(isa);
  cpu_test_write_static();
  session->options = &option;
  session->option_count = 1;
  cpu_test_must_load();
  assert_int_equal(((const et_cpu_handle *)session->handle)->isa, isa);
#if !defined(__aarch64__)
  option = et_cpu_force_isa(ET_CPU_NEON);
  cpu_test_expect_refused(
      "isa 'neon' is not linked or not supported by this CPU");
#endif
  option.value.u.as_string.size = 3;
  cpu_test_expect_refused(
      "option 'isa' must be plain, wasm_simd128, wasm_relaxed_simd, "
      "wasm_relaxed_dot, avx2, avxvnni, avx512 or neon");
  option.value.tag = ET_VALUE_INT;
  cpu_test_expect_refused("option 'isa' must be a string");
}

static void test_error_for_a_compiler_option_mentions_the_config(void **state) {
  (void)state;
  const et_backend_option option = {.key = "winograd",
                                    .value = {.tag = ET_VALUE_STRING}};
  cpu_test_write_static();
  session->options = &option;
  session->option_count = 1;
  cpu_test_expect_refused(
      "option 'winograd': unknown, expected 'isa'; compiler options belong in "
      "the config, under backends.cpu");
}

static void test_selects_the_widest_instruction_set_by_default(void **state) {
  (void)state;
  cpu_test_write_static();
  cpu_test_must_load();
  const int isa = ((const et_cpu_handle *)session->handle)->isa;
  assert_true(et_cpu_isa_available((et_cpu_isa)isa));
  for (int wider = isa + 1; wider < ET_CPU_ISA_COUNT; wider++) {
    assert_false(et_cpu_isa_available((et_cpu_isa)wider));
  }
}

static void test_updates_states_in_place(void **state) {
  (void)state;
  cpu_test_write_stateful();
  cpu_test_must_load();
  assert_int_equal(session->needed.updated_count, 1);
  assert_int_equal(session->needed.output_count, 1);
  cpu_test_must_call(3);
  cpu_test_must_call(3);
  for (size_t i = 0; i < 6; i++) {
    assert_true(samples[1].data[i] == (float)(i + 1 + 10));
    assert_true(samples[2].data[i] == (float)(i + 1 + 11));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CPU_TEST(test_ops_run_in_order_on_scratch),
      CPU_TEST(test_handle_has_the_documented_size),
      CPU_TEST(test_reads_named_data_in_place),
      CPU_TEST(test_payloads_with_constant_dims_are_static),
      CPU_TEST(test_sizes_follow_the_arguments),
      CPU_TEST(test_empty_tensors_have_a_valid_pointer),
      CPU_TEST(test_skips_ops_with_empty_outputs),
      CPU_TEST(test_rejects_sizes_above_the_maximum),
      CPU_TEST(test_rejects_calls_that_read_unwritten_scratch),
      CPU_TEST(test_rejects_calls_that_leave_outputs_unwritten),
      CPU_TEST(test_checks_ops_with_dynamic_sizes_in_calls),
      CPU_TEST(test_views_may_have_different_maxima_than_their_arguments),
      CPU_TEST(test_int_arguments_are_dims),
      CPU_TEST(test_computes_dims_from_other_dims),
      CPU_TEST(test_does_not_read_values_as_dims),
      CPU_TEST(test_input_dims_are_in_memory_order_for_any_dim_order),
      CPU_TEST(test_rejects_arguments_of_wrong_types),
      CPU_TEST(test_reports_each_op_to_the_observer),
      CPU_TEST(test_option_isa_selects_the_instruction_set),
      CPU_TEST(test_error_for_a_compiler_option_mentions_the_config),
      CPU_TEST(test_selects_the_widest_instruction_set_by_default),
      CPU_TEST(test_updates_states_in_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
