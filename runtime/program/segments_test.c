/* Tests constants and segments of an exported file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/core/limits.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/testing/program_test_support.h"

/* An open program with writable bytes. */
typedef struct sample {
  uint8_t *bytes;
  et_span file;
  et_program program;
  et_fb_table root;
} sample;

static void open_sample(sample *s, const char *name) {
  s->bytes = et_test_read_fixture(name, &s->file.size);
  s->file.data = s->bytes;
  assert_int_equal(et_program_load(s->file, &s->program, NULL), ET_STATUS_OK);
  s->root = et_tables_root(&s->program);
}

/* Overwrites a field that is present, or an element. */
static void put(sample *s, et_fb_table table, unsigned field, const void *value,
                size_t size) {
  const uint32_t offset = et_fb_find(table, field, (uint32_t)size);
  assert_true(offset > ET_FB_BROKEN);
  memcpy(s->bytes + et_fb_position(s->file, table) + offset, value, size);
}

static void put_u64(sample *s, et_fb_table table, unsigned field,
                    uint64_t value) {
  put(s, table, field, &value, sizeof value);
}

static void expect_invalid(sample *s, const char *part) {
  et_test_expect_refused(s->file, ET_STATUS_INVALID_PROGRAM, part);
  free(s->bytes);
}

static et_fb_table segment_at(const sample *s, uint32_t index) {
  const et_fb_vector segments = et_tables_vector(s->root, ET_PROGRAM_SEGMENTS);
  return et_fb_child_at(segments, index);
}

static void test_segments_outside_the_file_are_refused(void **state) {
  (void)state;
  const uint64_t sizes[] = {UINT64_MAX, INT64_MAX, 1u << 20};
  for (size_t i = 0; i < 3; i++) {
    sample s;
    open_sample(&s, "bundled_linear_plain");
    const et_fb_table segment = segment_at(&s, 0);
    put_u64(&s, segment, ET_SEGMENT_SIZE, sizes[i]);
    expect_invalid(&s, "segments[0] is outside");
  }
}

static void test_segment_offset_that_wraps_is_refused(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "counter_mutable_init");
  const et_fb_table segment = segment_at(&s, 1);
  put_u64(&s, segment, ET_SEGMENT_OFFSET, UINT64_MAX - 3);
  expect_invalid(&s, "segments[1] is outside");
}

static void test_overlapping_segments_are_refused(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "counter_mutable_init");
  const et_fb_table segment = segment_at(&s, 1);
  put_u64(&s, segment, ET_SEGMENT_OFFSET, 4);
  expect_invalid(&s, "segments[1] overlaps segments[0]");
}

/* Swaps the positions of segments `a` and `b`. */
static void swap_segments(sample *s, uint32_t a, uint32_t b) {
  const uint16_t fields[] = {ET_SEGMENT_OFFSET, ET_SEGMENT_SIZE};
  const et_fb_table first = segment_at(s, a);
  const et_fb_table second = segment_at(s, b);
  for (size_t i = 0; i < 2; i++) {
    const uint64_t mine = et_fb_u64(first, fields[i]);
    put_u64(s, first, fields[i], et_fb_u64(second, fields[i]));
    put_u64(s, second, fields[i], mine);
  }
}

static void test_segments_may_be_in_any_order(void **state) {
  (void)state;
  sample s;
  et_error error;
  open_sample(&s, "mlp_xnn_seg_default");
  swap_segments(&s, 2, 3);
  assert_int_equal(et_test_load(s.file, &error), ET_STATUS_OK);
  free(s.bytes);
}

static void test_overlap_of_unordered_segments_is_detected(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "mlp_xnn_seg_default");
  swap_segments(&s, 2, 3);
  const et_fb_table third = segment_at(&s, 3);
  const et_fb_table second = segment_at(&s, 2);
  put_u64(&s, third, ET_SEGMENT_SIZE,
          et_fb_u64(second, ET_SEGMENT_OFFSET) + 1 -
              et_fb_u64(third, ET_SEGMENT_OFFSET));
  expect_invalid(&s, "segments[3] overlaps segments[2]");
}

/* An empty segment does not overlap others, and does not hide overlaps of its
 * neighbors. */
static void test_empty_segments_do_not_hide_overlaps(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "mlp_xnn_seg_default");
  const et_fb_table second = segment_at(&s, 2);
  const et_fb_table third = segment_at(&s, 3);
  const et_fb_table first = segment_at(&s, 1);
  put_u64(&s, second, ET_SEGMENT_SIZE, 0);
  put_u64(&s, first, ET_SEGMENT_SIZE,
          et_fb_u64(third, ET_SEGMENT_OFFSET) + 1 -
              et_fb_u64(first, ET_SEGMENT_OFFSET));
  expect_invalid(&s, "segments[3] overlaps segments[1]");
}

static void test_constant_segment_must_exist(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "counter_mutable_init");
  const et_fb_vector tables =
      et_tables_vector(s.root, ET_PROGRAM_MUTABLE_DATA_SEGMENTS);
  const et_fb_table table = et_fb_child_at(tables, 0);
  const uint32_t index = 77;
  put(&s, table, ET_SUBSEGMENT_INDEX, &index, sizeof index);
  expect_invalid(&s, "mutable_data_segments.segment_index 77");
}

/* Entry 0 is reserved: a table without other entries has no segment. */
static void test_empty_subsegments_need_no_segment(void **state) {
  (void)state;
  sample s;
  et_error error;
  open_sample(&s, "counter_mutable_init");
  const et_fb_vector tables =
      et_tables_vector(s.root, ET_PROGRAM_MUTABLE_DATA_SEGMENTS);
  const et_fb_table table = et_fb_child_at(tables, 0);
  const et_fb_vector offsets = et_fb_list(table, ET_SUBSEGMENT_OFFSETS);
  const uint32_t index = 77;
  const uint32_t count = 1;
  put(&s, table, ET_SUBSEGMENT_INDEX, &index, sizeof index);
  memcpy(s.bytes + et_fb_position(s.file, et_fb_data(offsets)) - 4, &count,
         sizeof count);
  et_test_load(s.file, &error);
  assert_null(strstr(error.message, "mutable_data_segments.segment_index"));
  free(s.bytes);
}

/* Sets the start of constant 1, which is element 1 of the offsets. */
static void move_constant(sample *s, uint64_t offset) {
  const et_fb_table constants =
      et_fb_child(s->root, ET_PROGRAM_CONSTANT_SEGMENT);
  const et_fb_vector offsets = et_fb_list(constants, ET_SUBSEGMENT_OFFSETS);
  assert_true(et_fb_count(offsets) > 1);
  uint8_t *first = s->bytes + et_fb_position(s->file, et_fb_data(offsets));
  memcpy(first + sizeof offset, &offset, sizeof offset);
}

static void test_constant_beyond_its_segment_is_refused(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "bundled_linear_plain");
  move_constant(&s, UINT64_MAX);
  expect_invalid(&s, "constant_segment.offsets[1]");
  open_sample(&s, "bundled_linear_plain");
  et_piece segment;
  assert_true(et_tables_segment(&s.program, 0, &segment));
  move_constant(&s, segment.size - 4);
  expect_invalid(&s, "data_buffer_idx 1 does not have");
}

static void test_unaligned_constant_is_refused(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "multi_state_shared");
  move_constant(&s, 2);
  expect_invalid(&s, "constant is not aligned to 4");
}

static void test_duplicate_data_keys_are_refused(void **state) {
  (void)state;
  sample s;
  open_sample(&s, "mlp_xnn_seg_default");
  const et_fb_vector named = et_tables_vector(s.root, ET_PROGRAM_NAMED_DATA);
  assert_true(et_fb_count(named) > 1);
  const et_fb_table first = et_fb_child_at(named, 0);
  const et_fb_table second = et_fb_child_at(named, 1);
  const et_string key = et_fb_text(first, ET_NAMED_DATA_KEY);
  const et_string other = et_fb_text(second, ET_NAMED_DATA_KEY);
  assert_int_equal(key.size, other.size);
  memcpy(s.bytes + ((const uint8_t *)other.data - s.bytes), key.data, key.size);
  expect_invalid(&s, "named_data[1] has the same key as named_data[0]");
}

/* The maximum number of unsorted entries, with keys in descending order. */
static void test_unsorted_keys_are_found_up_to_a_limit(void **state) {
  (void)state;
  static uint8_t bytes[1 << 19];
  et_fb_writer writer = {bytes, 0, sizeof bytes};
  et_fb_append(&writer, 8, 1);
  const size_t root = et_fb_add_table(&writer, 1);
  const size_t entries = et_fb_add_vector(&writer, NULL, ET_LIMIT_UNSORTED, 4);
  et_fb_refer(&writer, root, 0, entries);
  for (uint32_t i = 0; i < ET_LIMIT_UNSORTED; i++) {
    char key[8];
    snprintf(key, sizeof key, "%05u", ET_LIMIT_UNSORTED - 1 - i);
    const size_t entry = et_fb_add_table(&writer, 3);
    et_fb_refer_element(&writer, entries, i, entry);
    et_fb_refer(&writer, entry, ET_NAMED_DATA_KEY,
                et_fb_add_text(&writer, key));
  }
  const et_span file = {bytes, writer.size};
  const et_fb_vector named =
      et_fb_list(et_fb_table_at(file, (uint32_t)root), 0);
  const char *const keys[] = {"00000", "00001", "04095"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const et_string key = {keys[i], 5};
    et_fb_table found;
    assert_true(et_named_data_find(named, key, &found));
    assert_string_equal(et_fb_text(found, ET_NAMED_DATA_KEY).data, keys[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_segments_outside_the_file_are_refused),
      cmocka_unit_test(test_segment_offset_that_wraps_is_refused),
      cmocka_unit_test(test_overlapping_segments_are_refused),
      cmocka_unit_test(test_segments_may_be_in_any_order),
      cmocka_unit_test(test_overlap_of_unordered_segments_is_detected),
      cmocka_unit_test(test_empty_segments_do_not_hide_overlaps),
      cmocka_unit_test(test_constant_segment_must_exist),
      cmocka_unit_test(test_empty_subsegments_need_no_segment),
      cmocka_unit_test(test_constant_beyond_its_segment_is_refused),
      cmocka_unit_test(test_unaligned_constant_is_refused),
      cmocka_unit_test(test_duplicate_data_keys_are_refused),
      cmocka_unit_test(test_unsorted_keys_are_found_up_to_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
