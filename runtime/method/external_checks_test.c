/* Tests that damaged .ptd files, and tensors that differ from the program's,
 * are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/testing/external_sample.h"

/* Changes one byte of the data, which must be `from` in the fixture. */
static et_status load_changed(et_external_sample *s, size_t at, uint8_t from,
                              uint8_t to) {
  et_external_open_mlp(s);
  assert_int_equal(s->bytes[1][at], from);
  s->bytes[1][at] = to;
  return et_external_load(s, 2);
}

static void test_mismatched_dtype_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  const et_status status = load_changed(&s, 0x153, 6, 3);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "values[0]: '0.weight' of source 'mlp_weights.ptd' differs from the "
      "program's tensor in dtype" ET_TEST_EXPORT_AGAIN);
}

static void test_external_tensor_of_unknown_dtype_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_status status = load_changed(&s, 0x153, 6, 30);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': named_data[0]: scalar_type 30 is "
      "unknown" ET_TEST_EXPORT_AGAIN);
  status = load_changed(&s, 0x153, 6, 0xFF);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': named_data[0]: scalar_type -1 is "
      "unknown" ET_TEST_EXPORT_AGAIN);
}

static void test_mismatched_dim_order_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  const size_t at = 0x160;
  assert_memory_equal(s.bytes[1] + at, "\x00\x01", 2);
  memcpy(s.bytes[1] + at, "\x01\x00", 2);
  const et_status status = et_external_load(&s, 2);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "values[0]: '0.weight' of source 'mlp_weights.ptd' differs from the "
      "program's tensor in dim order" ET_TEST_EXPORT_AGAIN);
}

static void test_mismatched_sizes_are_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  const uint32_t sizes[3] = {32, 16, 32};
  assert_memory_equal(s.bytes[1] + 0x168, sizes, 8);
  memcpy(s.bytes[1] + 0x168, sizes + 1, 8);
  const et_status status = et_external_load(&s, 2);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "values[0]: '0.weight' of source 'mlp_weights.ptd' differs from the "
      "program's tensor in sizes" ET_TEST_EXPORT_AGAIN);
}

static void test_external_tensor_of_another_size_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  const et_status status = load_changed(&s, 0x90, 4, 3);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': named_data[3]: the layout needs 12 bytes, "
      "but the segment has 16" ET_TEST_EXPORT_AGAIN);
}

/* Moves the segments by one byte. */
static void test_unaligned_external_constant_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  const size_t size = s.sizes[1] + 1;
  uint8_t *moved = aligned_alloc(64, (size + 63) / 64 * 64);
  memcpy(moved, s.bytes[1], size - 1);
  assert_int_equal(moved[32], 0);
  moved[32] = 1;
  free(s.bytes[1]);
  s.bytes[1] = moved;
  s.extents[1].bytes.data = moved;
  s.extents[1].bytes.size = size;
  s.sources[1].size = size;
  const et_status status = et_external_load(&s, 2);
  et_external_expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "values[0]: '0.weight' of source 'mlp_weights.ptd' is not "
                     "aligned" ET_TEST_EXPORT_AGAIN);
}

static void test_first_external_tensor_is_checked(void **state) {
  (void)state;
  et_external_sample s;
  const et_status status = load_changed(&s, 0x168, 32, 31);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': named_data[0]: the layout needs 1984 "
      "bytes, but the segment has 2048" ET_TEST_EXPORT_AGAIN);
}

static void test_data_file_with_another_identifier_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_status status = load_changed(&s, 4, 'F', 'X');
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': bytes 58 54 30 31 are not the identifier "
      "'FT01'; pass a data file (.ptd)");
  status = load_changed(&s, 8, 'F', 'X');
  et_external_expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "source 'mlp_weights.ptd': the header 'FH01' is "
                     "missing" ET_TEST_EXPORT_AGAIN);
  status = load_changed(&s, 12, 40, 39);
  et_external_expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "source 'mlp_weights.ptd': header: length 39 is less than "
                     "40" ET_TEST_EXPORT_AGAIN);
}

static void test_data_file_header_beyond_the_file_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_status status = load_changed(&s, 31, 0, 0x80);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': header: 9223372036854776264 bytes of "
      "tables at 48 overlap the header or exceed the file of 3216 "
      "bytes" ET_TEST_EXPORT_AGAIN);
  status = load_changed(&s, 33, 2, 0);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': header: 2704 bytes of segments at 0 overlap "
      "the tables or exceed the file of 3216 bytes" ET_TEST_EXPORT_AGAIN);
}

/* Loads arbitrary data. If loading fails, there must be a message. */
static void try_data(et_external_sample *s) {
  const et_status status = et_external_load(s, 2);
  if (status == ET_STATUS_OK) {
    et_program_check_contents(&s->program, &s->error);
  } else {
    assert_int_equal(s->error.status, status);
    assert_true(s->error.message[0] != '\0');
  }
  et_hosted_method_free(&s->hosted);
}

static void test_data_file_with_any_byte_changed_is_survived(void **state) {
  (void)state;
  static const uint8_t changes[] = {0x01, 0x80, 0xFF, 0x7F};
  et_external_sample s;
  et_external_open_mlp(&s);
  for (size_t at = 0; at < s.sizes[1]; at++) {
    for (size_t i = 0; i < sizeof changes; i++) {
      s.bytes[1][at] ^= changes[i];
      try_data(&s);
      s.bytes[1][at] ^= changes[i];
    }
  }
  et_external_close(&s);
}

static void test_data_file_with_any_word_replaced_is_survived(void **state) {
  (void)state;
  static const uint32_t words[] = {0xFFFFFFFFu, 0x7FFFFFFFu, 0x80000000u, 0};
  et_external_sample s;
  et_external_open_mlp(&s);
  for (size_t at = 0; at + 4 <= s.sizes[1]; at += 4) {
    uint32_t old = 0;
    memcpy(&old, s.bytes[1] + at, sizeof old);
    for (size_t i = 0; i < 4; i++) {
      memcpy(s.bytes[1] + at, &words[i], sizeof old);
      try_data(&s);
    }
    memcpy(s.bytes[1] + at, &old, sizeof old);
  }
  et_external_close(&s);
}

/* Each length uses its own allocation, so that sanitizers detect overruns. */
static void test_truncated_data_file_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  for (size_t cut = 1; cut < s.sizes[1]; cut++) {
    uint8_t *copy = aligned_alloc(16, (cut + 15) / 16 * 16);
    memcpy(copy, s.bytes[1], cut);
    s.extents[1].bytes.data = copy;
    s.extents[1].bytes.size = cut;
    s.sources[1].size = cut;
    assert_int_not_equal(et_external_load(&s, 2), ET_STATUS_OK);
    free(copy);
  }
  et_external_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mismatched_dtype_is_refused),
      cmocka_unit_test(test_external_tensor_of_unknown_dtype_is_refused),
      cmocka_unit_test(test_mismatched_dim_order_is_refused),
      cmocka_unit_test(test_mismatched_sizes_are_refused),
      cmocka_unit_test(test_external_tensor_of_another_size_is_refused),
      cmocka_unit_test(test_unaligned_external_constant_is_refused),
      cmocka_unit_test(test_first_external_tensor_is_checked),
      cmocka_unit_test(test_data_file_with_another_identifier_is_refused),
      cmocka_unit_test(test_data_file_header_beyond_the_file_is_refused),
      cmocka_unit_test(test_data_file_with_any_byte_changed_is_survived),
      cmocka_unit_test(test_data_file_with_any_word_replaced_is_survived),
      cmocka_unit_test(test_truncated_data_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
