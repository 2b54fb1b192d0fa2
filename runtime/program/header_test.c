/* Tests the header of a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/program.h"
#include "runtime/testing/program_test_support.h"

/* A fixture with segments. The tests change its header. */
static const char *const FIXTURE = "bundled_linear_plain";

static void expect_changed(size_t position, const void *bytes, size_t count,
                           et_status status, const char *part) {
  size_t size = 0;
  uint8_t *file = et_test_read_fixture(FIXTURE, &size);
  const et_span span = {file, size};
  et_error error;
  memcpy(file + position, bytes, count);
  if (status == ET_STATUS_OK) {
    assert_int_equal(et_test_load(span, &error), ET_STATUS_OK);
  } else {
    et_test_expect_refused(span, status, part);
  }
  free(file);
}

static void expect_u64(size_t position, uint64_t value, et_status status,
                       const char *part) {
  expect_changed(position, &value, sizeof value, status, part);
}

static void expect_u32(size_t position, uint32_t value, et_status status,
                       const char *part) {
  expect_changed(position, &value, sizeof value, status, part);
}

static void test_files_shorter_than_their_header_states_are_refused(
    void **state) {
  (void)state;
  size_t size = 0;
  uint8_t *file = et_test_read_fixture(FIXTURE, &size);
  for (size_t cut = 0; cut < size; cut++) {
    const et_span span = {file, cut};
    et_error error;
    assert_int_equal(et_test_load(span, &error), ET_STATUS_INVALID_PROGRAM);
  }
  et_test_expect_refused(
      (et_span){file, 7}, ET_STATUS_INVALID_PROGRAM,
      "a file of 7 bytes is too short; pass a program (.pte)");
  free(file);
}

static void test_other_files_are_refused(void **state) {
  (void)state;
  expect_changed(4, "FT01", 4, ET_STATUS_INVALID_PROGRAM,
                 "bytes 46 54 30 31 are not the identifier 'ET12'; pass a "
                 "program (.pte)");
}

static void test_bytes_after_the_program_are_ignored(void **state) {
  (void)state;
  size_t size = 0;
  et_error error;
  uint8_t *file = et_test_read_fixture(FIXTURE, &size);
  uint8_t *longer = aligned_alloc(64, (size + 128) / 64 * 64);
  memset(longer, 0xFF, (size + 128) / 64 * 64);
  memcpy(longer, file, size);
  const et_span span = {longer, size + 60};
  assert_int_equal(et_test_load(span, &error), ET_STATUS_OK);
  free(longer);
  free(file);
}

static void test_other_identifiers_are_refused(void **state) {
  (void)state;
  const char *const others[] = {"ET11", "ET13", "XXXX", "\0\0\0\0"};
  for (size_t i = 0; i < 4; i++) {
    expect_changed(4, others[i], 4, ET_STATUS_INVALID_PROGRAM, "identifier");
  }
}

static void test_inconsistent_headers_are_refused(void **state) {
  (void)state;
  expect_u32(12, 20, ET_STATUS_INVALID_PROGRAM, "length 20");
  expect_u32(12, UINT32_MAX, ET_STATUS_INVALID_PROGRAM, "length");
  expect_u64(16, 8, ET_STATUS_INVALID_PROGRAM, "8 bytes of tables");
  expect_u64(16, 1u << 30, ET_STATUS_INVALID_PROGRAM, "bytes of tables");
  expect_u64(16, UINT64_MAX, ET_STATUS_INVALID_PROGRAM, "bytes of tables");
  expect_u64(24, 64, ET_STATUS_INVALID_PROGRAM, "overlap the tables");
  expect_u64(24, 0, ET_STATUS_INVALID_PROGRAM, "overlap the tables");
  expect_u64(24, UINT64_MAX - 3, ET_STATUS_INVALID_PROGRAM,
             "overlap the tables");
  expect_u64(32, UINT64_MAX, ET_STATUS_INVALID_PROGRAM, "overlap the tables");
  expect_u64(32, 1u << 30, ET_STATUS_INVALID_PROGRAM, "overlap the tables");
}

static void test_header_without_segment_size_reads_to_the_end(void **state) {
  (void)state;
  expect_u32(12, 24, ET_STATUS_OK, "");
  expect_u32(12, 48, ET_STATUS_OK, "");
}

/* As in ExecuTorch's runtime, 0 means that the size is unspecified. */
static void test_segment_size_of_zero_reads_to_the_end(void **state) {
  (void)state;
  expect_u64(32, 0, ET_STATUS_OK, "");
  const uint64_t past_the_file[2] = {1u << 30, 0}; /* base, size */
  expect_changed(24, past_the_file, sizeof past_the_file,
                 ET_STATUS_INVALID_PROGRAM, "overlap the tables");
}

/* Without its magic, the file has no header, and its constants are not
 * found. */
static void test_damaged_header_magic_keeps_constants(void **state) {
  (void)state;
  expect_changed(8, "eh01", 4, ET_STATUS_INVALID_PROGRAM, "segments[0]");
}

static void test_root_offset_out_of_bounds_is_refused(void **state) {
  (void)state;
  const uint32_t roots[] = {0, 3, 0x7FFFFFFF, UINT32_MAX};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    expect_u32(0, roots[i], ET_STATUS_INVALID_PROGRAM, "program");
  }
}

static void test_null_or_unaligned_base_is_refused(void **state) {
  (void)state;
  size_t size = 0;
  uint8_t *file = et_test_read_fixture(FIXTURE, &size);
  const et_span none = {NULL, size};
  et_test_expect_refused(none, ET_STATUS_INVALID_ARGUMENT, "NULL");
  for (size_t shift = 1; shift < ET_PROGRAM_ALIGNMENT; shift++) {
    const et_span span = {file + shift, size - shift};
    et_test_expect_refused(span, ET_STATUS_INVALID_ARGUMENT, "aligned");
  }
  free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files_shorter_than_their_header_states_are_refused),
      cmocka_unit_test(test_other_files_are_refused),
      cmocka_unit_test(test_bytes_after_the_program_are_ignored),
      cmocka_unit_test(test_other_identifiers_are_refused),
      cmocka_unit_test(test_inconsistent_headers_are_refused),
      cmocka_unit_test(test_header_without_segment_size_reads_to_the_end),
      cmocka_unit_test(test_segment_size_of_zero_reads_to_the_end),
      cmocka_unit_test(test_damaged_header_magic_keeps_constants),
      cmocka_unit_test(test_root_offset_out_of_bounds_is_refused),
      cmocka_unit_test(test_null_or_unaligned_base_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
