#include "backends/cpu/runtime/testing/cpu_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

cpu_fixture cpu_test;

static cpu_writer *const writer = &cpu_test.writer;
static cpu_session *const session = &cpu_test.session;
static cpu_sample *const samples = cpu_test.samples;
static et_value **const args = cpu_test.args;

int cpu_test_start(void **state) {
  (void)state;
  memset(&cpu_test, 0, sizeof cpu_test);
  for (size_t i = 0; i < 4; i++) {
    cpu_sample_make(&samples[i], 2, 3);
    args[i] = &samples[i].value;
  }
  return 0;
}

int cpu_test_finish(void **state) {
  (void)state;
  cpu_session_end(session);
  return 0;
}

et_status cpu_test_load(void) {
  cpu_session_end(session);
  et_error_clear(&session->error);
  return cpu_session_load(session, cpu_write_finish(writer));
}

void cpu_test_must_load(void) {
  if (cpu_test_load() != ET_STATUS_OK) {
    fail_msg("%s", session->error.message);
  }
}

et_status cpu_test_call(size_t count) {
  et_error_clear(&session->error);
  return cpu_session_call(session, args, count);
}

void cpu_test_must_call(size_t count) {
  if (cpu_test_call(count) != ET_STATUS_OK) {
    fail_msg("%s", session->error.message);
  }
}

void cpu_test_expect_refused(const char *message) {
  assert_int_not_equal(cpu_test_load(), ET_STATUS_OK);
  assert_string_equal(session->error.message, message);
}

void cpu_test_expect_call_refused(size_t count, const char *message) {
  assert_int_not_equal(cpu_test_call(count), ET_STATUS_OK);
  assert_string_equal(session->error.message, message);
}

void cpu_test_write_shifts(const uint32_t *dims, uint32_t rank) {
  writer->inputs = writer->outputs = 1;
  writer->scratch_bytes = 64;
  const uint32_t x =
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, dims, rank);
  const uint32_t h =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, dims, rank);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, dims, rank);
  cpu_write_unary(writer, CPU_TEST_SHIFT, x, h, 5);
  cpu_write_unary(writer, CPU_TEST_SHIFT, h, y, 5);
}

void cpu_test_write_static(void) {
  const uint32_t dims[2] = {cpu_write_const(writer, 2),
                            cpu_write_const(writer, 3)};
  cpu_test_write_shifts(dims, 2);
}

void cpu_test_write_dynamic(void) {
  const et_cpu_dim dims[3] = {
      {ET_CPU_DIM_OP_SIZE, 0, 0, 5},
      {ET_CPU_DIM_OP_CONST, 3, 0, 3},
      {ET_CPU_DIM_OP_MUL, CPU_TEST_ROWS, CPU_TEST_COLUMNS, 15}};
  const uint32_t matrix[2] = {CPU_TEST_ROWS, CPU_TEST_COLUMNS};
  const uint32_t flat[1] = {CPU_TEST_NUMEL};
  for (size_t i = 0; i < 3; i++) {
    cpu_write_dim(writer, dims[i]);
  }
  writer->inputs = writer->outputs = 1;
  writer->scratch_bytes = 60;
  cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, matrix, 2);
  const uint32_t h =
      cpu_write_floats(writer, ET_CPU_PLACE_SCRATCH, 0, 0, flat, 1);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, matrix, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, 0, h, 2);
  cpu_write_unary(writer, CPU_TEST_SHIFT, h, y, 3);
}

void cpu_test_write_stateful(void) {
  const uint32_t dims[2] = {cpu_write_const(writer, 2),
                            cpu_write_const(writer, 3)};
  writer->inputs = 2;
  writer->outputs = 1;
  const uint32_t x =
      cpu_write_floats(writer, ET_CPU_PLACE_INPUT, 0, 0, dims, 2);
  const uint32_t s =
      cpu_write_floats(writer, ET_CPU_PLACE_STATE, 1, 0, dims, 2);
  const uint32_t y =
      cpu_write_floats(writer, ET_CPU_PLACE_OUTPUT, 0, 0, dims, 2);
  (void)x;
  cpu_write_unary(writer, CPU_TEST_SHIFT, s, s, 5);
  cpu_write_unary(writer, CPU_TEST_SHIFT, s, y, 1);
}
