/* Tests the search for the first instruction that differs from PyTorch. */
#include "runtime/replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "runtime/replay/recording.h"
#include "runtime/testing/program_test_support.h"

static void put_int(et_recording *r, int64_t value) {
  const uint8_t kind = ET_RECORD_INT;
  et_recording_put(r, &kind, 1);
  et_recording_put(r, &value, sizeof value);
}

/* Writes the steps of one call, out = copy(in), on two floats. `outputs` is
 * the call's number of output records. */
static void record_call(et_recording *r, const float *out, uint32_t outputs,
                        bool is_quantized) {
  const float in[2] = {1, 2};
  const uint8_t kinds[2] = {ET_RECORD_BOOL, ET_RECORD_STRING};
  r->size = 0;
  et_recording_put(r, "ETCL", 4);
  et_recording_put_u32(r, 1);
  et_recording_put_u32(r, 1);
  et_recording_put_u32(r, 7);
  et_recording_put(r, "forward", 7);
  et_recording_put_u32(r, 0);
  et_recording_put_u32(r, 1);
  et_recording_put_floats(r, in, 2);
  et_recording_put_u32(r, outputs);
  et_recording_put(r, kinds, 1);
  et_recording_put(r, is_quantized ? "\1" : "\0", 1);
  put_int(r, 0);
  et_recording_put(r, kinds + 1, 1);
  et_recording_put_u32(r, 8);
  et_recording_put(r, "net.py:3", 8);
  put_int(r, 1);
  put_int(r, 1);
  et_recording_put_floats(r, out, 2);
}

static void record_step(et_recording *r, const float *out, uint32_t outputs) {
  record_call(r, out, outputs, false);
}

static et_program_writer writer;

static et_status search(const et_recording *r, et_error *error) {
  const et_span steps = {r->bytes, r->size};
  const et_replay_options options = {.least = {20, 0.9}};
  et_error_clear(error);
  et_test_write_copy(&writer, 2);
  et_program program;
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  return et_deviation_print(&program, steps, 0, &et_test_registry, &options,
                            error);
}

static void test_matching_and_deviating_ops_are_read(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float right[2] = {1, 2};
  const float wrong[2] = {1, 3};
  record_step(&r, right, 6);
  assert_int_equal(search(&r, &error), ET_STATUS_OK);
  record_step(&r, wrong, 6);
  assert_int_equal(search(&r, &error), ET_STATUS_OK);
}

#if !defined(_WIN32)
/* Searches, and expects this text on stderr. */
static void expect_report(const et_recording *r, const char *expected) {
  char text[1024] = "";
  et_error error;
  int ends[2];
  const int saved = dup(2);
  assert_int_equal(pipe(ends), 0);
  dup2(ends[1], 2);
  close(ends[1]);
  const et_status status = search(r, &error);
  dup2(saved, 2);
  close(saved);
  const ssize_t size = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  assert_int_equal(status, ET_STATUS_OK);
  assert_true(size >= 0);
  if (strstr(text, expected) == NULL) {
    fail_msg("%s", text);
  }
}

static void test_first_deviating_instruction_is_reported(void **state) {
  (void)state;
  et_recording r;
  const float wrong[2] = {1, 3};
  record_call(&r, wrong, 6, false);
  expect_report(&r,
                "  the first instruction that differs from PyTorch: "
                "test::copy.out, number 0\n    net.py:3\n"
                "    element 1 is 2, expected 3; 1 of 2 compared elements "
                "differ\n");
  record_call(&r, wrong, 6, true);
  expect_report(&r,
                "test::copy.out, number 0\n    net.py:3\n"
                "    SQNR to PyTorch's result 10.00 dB, cosine 0.9");
}
#endif

static void test_truncated_op_records_are_refused(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float right[2] = {1, 2};
  record_step(&r, right, 4);
  assert_int_equal(search(&r, &error), ET_STATUS_INVALID_EXTERNAL_DATA);
  assert_string_equal(error.message, "recorded steps: a call is truncated");
  record_step(&r, right, 6);
  for (size_t size = 4; size < r.size; size++) {
    et_recording shorter = r;
    shorter.size = size;
    assert_int_equal(search(&shorter, &error), ET_STATUS_INVALID_EXTERNAL_DATA);
  }
}

static void test_records_of_another_format_are_refused(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float right[2] = {1, 2};
  record_step(&r, right, 6);
  for (size_t i = 0; i < r.size; i++) {
    et_recording damaged = r;
    damaged.bytes[i] ^= 0xFF;
    search(&damaged, &error); /* any result; sanitizers check memory accesses */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matching_and_deviating_ops_are_read),
#if !defined(_WIN32)
      cmocka_unit_test(test_first_deviating_instruction_is_reported),
#endif
      cmocka_unit_test(test_truncated_op_records_are_refused),
      cmocka_unit_test(test_records_of_another_format_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
