/* Tests the search for the first instruction that differs from PyTorch. */
#include "runtime/replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/replay/recording.h"
#include "runtime/testing/program_test_support.h"

static void put_int(et_recording *r, int64_t value) {
  const uint8_t kind = ET_RECORD_INT;
  et_recording_put(r, &kind, 1);
  et_recording_put(r, &value, sizeof value);
}

/* Writes the steps of one call, out = copy(in), on two floats. `outputs` is
 * the call's number of output records. */
static void record_step(et_recording *r, const float *out, uint32_t outputs) {
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
  et_recording_put(r, "\0", 1);
  put_int(r, 0);
  et_recording_put(r, kinds + 1, 1);
  et_recording_put_u32(r, 8);
  et_recording_put(r, "net.py:3", 8);
  put_int(r, 1);
  put_int(r, 1);
  et_recording_put_floats(r, out, 2);
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
      cmocka_unit_test(test_truncated_op_records_are_refused),
      cmocka_unit_test(test_records_of_another_format_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
