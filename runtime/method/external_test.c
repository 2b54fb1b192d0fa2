/* Tests constants in .ptd files: look-up by name, use in place, and reading.
 * Missing or unrelated files and duplicate keys must be rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/testing/external_sample.h"

/* Returns the address of the constant with `size` floats. */
static const uint8_t *constant_of(const et_external_sample *s, int32_t size) {
  for (uint32_t i = 0; i < s->hosted.method->value_count; i++) {
    const et_value *value = &s->hosted.method->values[i];
    if (value->tag == ET_VALUE_TENSOR && value->u.as_tensor->is_constant &&
        value->u.as_tensor->numel == (size_t)size) {
      return value->u.as_tensor->data;
    }
  }
  fail_msg("no constant of %d elements", (int)size);
  return NULL;
}

/* The segments of 0.weight, 0.bias, 2.weight and 2.bias are at 0, 0x800, 0x880
 * and 0xA80. */
static void test_external_constants_are_used_in_place(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  assert_int_equal(et_external_load(&s, 2), ET_STATUS_OK);
  const uint8_t *segments = et_external_segments(&s);
  assert_ptr_equal(constant_of(&s, 512), segments);
  assert_ptr_equal(constant_of(&s, 32), segments + 0x800);
  assert_ptr_equal(constant_of(&s, 128), segments + 0x880);
  assert_ptr_equal(constant_of(&s, 4), segments + 0xA80);
  assert_int_equal(s.hosted.requirements.data_bytes, 0);
  et_external_close(&s);
}

static void test_external_constants_are_found_in_any_file(void **state) {
  (void)state;
  for (int is_first = 0; is_first < 2; is_first++) {
    et_external_sample s;
    et_external_open_mlp(&s);
    et_external_add_file(&s, "xnn_weights.ptd", is_first != 0);
    assert_int_equal(et_external_load(&s, 3), ET_STATUS_OK);
    assert_ptr_equal(constant_of(&s, 512), et_external_segments(&s));
    et_external_close(&s);
  }
}

static void test_constants_outside_memory_are_read(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  et_external_read_segments(&s);
  assert_int_equal(et_external_load(&s, 2), ET_STATUS_OK);
  assert_true(s.reads != 0 && s.hosted.requirements.data_bytes >= 0xA90);
  assert_memory_equal(constant_of(&s, 512), et_external_segments(&s), 2048);
  assert_memory_equal(constant_of(&s, 4), et_external_segments(&s) + 0xA80, 16);
  et_external_close(&s);
}

/* The program is also read on demand, so that pieces of both sources are
 * concatenated. */
static void test_program_and_data_file_may_be_split(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  const size_t cut = 0xA80 + (size_t)(et_external_segments(&s) - s.bytes[1]);
  const et_extent parts[] = {{0, {s.bytes[1], cut}},
                             {cut, {s.bytes[1] + cut, s.sizes[1] - cut}}};
  s.sources[1].extents = parts;
  s.sources[1].extent_count = 2;
  assert_int_equal(et_external_load(&s, 2), ET_STATUS_OK);
  assert_ptr_equal(constant_of(&s, 512), et_external_segments(&s));
  assert_ptr_equal(constant_of(&s, 4), s.bytes[1] + cut);
  et_external_close(&s);
}

static void test_missing_data_file_is_named_by_its_key(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  const et_status status = et_external_load(&s, 1);
  et_external_expect(
      &s, status, ET_STATUS_NOT_FOUND,
      "values[0]: none of the 0 external files (.ptd) has the key "
      "'0.weight'; pass its file to et_program_load_sources");
}

static void test_data_file_without_the_key_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open(&s, "ptd_mlp.pte", "xnn_weights.ptd");
  const et_status status = et_external_load(&s, 2);
  et_external_expect(
      &s, status, ET_STATUS_NOT_FOUND,
      "values[0]: none of the 1 external files (.ptd) has the key "
      "'0.weight'; pass its file to et_program_load_sources");
}

static void test_key_in_two_data_files_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  s.sources[2] = s.sources[1];
  s.sources[2].name = "copy.ptd";
  const et_status status = et_external_load(&s, 3);
  et_external_expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "source 'copy.ptd': key '0.weight' is also in source "
                     "'mlp_weights.ptd'; pass only one of them");
}

static void test_any_key_in_two_data_files_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  uint8_t *copy = malloc(s.sizes[1]);
  assert_non_null(copy);
  memcpy(copy, s.bytes[1], s.sizes[1]);
  assert_memory_equal(copy + 0x174, "0.weight", 8);
  copy[0x174] = '9';
  const et_extent extent = {0, {copy, s.sizes[1]}};
  s.sources[2] = s.sources[1];
  s.sources[2].name = "copy.ptd";
  s.sources[2].extents = &extent;
  const et_status status = et_external_load(&s, 3);
  free(copy);
  et_external_expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "source 'copy.ptd': key '0.bias' is also in source "
                     "'mlp_weights.ptd'; pass only one of them");
}

static void test_key_in_program_and_data_file_is_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open(&s, "mlp_xnn_seg_default.pte", "xnn_weights.ptd");
  const et_status status = et_external_load_program(&s, 2);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'xnn_weights.ptd': key "
      "'9eed8098f924a1e1efe5fd1dfba5ab56b5a8fa3bfbe4bb50eef0b5520f2a05a0' "
      "is also in the program" ET_TEST_EXPORT_AGAIN);
}

static void test_data_file_tables_must_be_in_the_first_extent(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  et_external_read_segments(&s);
  s.extents[1].bytes.size = 256;
  const et_status status = et_external_load(&s, 2);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_ARGUMENT,
      "source 'mlp_weights.ptd': the first extent must start at 0 and hold "
      "the 504 bytes of tables, but holds 256");
}

static void test_unaddressable_sources_are_refused(void **state) {
  (void)state;
  et_external_sample s;
  et_external_open_mlp(&s);
  s.sources[1].size = UINT64_MAX;
  s.sources[1].read = et_external_read;
  const et_status status = et_external_load(&s, 2);
  et_external_expect(
      &s, status, ET_STATUS_INVALID_ARGUMENT,
      "source 'mlp_weights.ptd': 18446744073709551615 bytes exceed the "
      "address space; correct its size");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_external_constants_are_used_in_place),
      cmocka_unit_test(test_external_constants_are_found_in_any_file),
      cmocka_unit_test(test_constants_outside_memory_are_read),
      cmocka_unit_test(test_program_and_data_file_may_be_split),
      cmocka_unit_test(test_missing_data_file_is_named_by_its_key),
      cmocka_unit_test(test_data_file_without_the_key_is_refused),
      cmocka_unit_test(test_key_in_two_data_files_is_refused),
      cmocka_unit_test(test_any_key_in_two_data_files_is_refused),
      cmocka_unit_test(test_key_in_program_and_data_file_is_refused),
      cmocka_unit_test(test_data_file_tables_must_be_in_the_first_extent),
      cmocka_unit_test(test_unaddressable_sources_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
