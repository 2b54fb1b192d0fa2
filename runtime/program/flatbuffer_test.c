/* Reads tables, fields and vectors at the edges of a buffer.
 *
 * Each buffer is a separate allocation, so that sanitizers detect overruns. */
#include "runtime/program/flatbuffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_AT 8 /* in 16 bytes: a vtable with two fields, then the table */
#define BYTES 16

static void put_u16(uint8_t *bytes, size_t at, uint16_t value) {
  memcpy(bytes + at, &value, sizeof value);
}

static void put_u32(uint8_t *bytes, size_t at, uint32_t value) {
  memcpy(bytes + at, &value, sizeof value);
}

/* A vtable of 8 bytes at 0, then the table. The table has 8 bytes; field 0 is
 * at 4, and field 1 is absent. */
static uint8_t *new_buffer(void) {
  uint8_t *bytes = calloc(1, BYTES);
  put_u16(bytes, 0, 8);
  put_u16(bytes, 2, 8);
  put_u16(bytes, 4, 4);
  put_u32(bytes, TABLE_AT, TABLE_AT);
  put_u32(bytes, TABLE_AT + 4, 77);
  return bytes;
}

static bool read_table(const uint8_t *bytes, size_t size, uint32_t position) {
  const et_span buffer = {bytes, size};
  return et_fb_check_table(buffer, position) != 0;
}

static void test_table_that_fills_the_buffer_is_read(void **state) {
  (void)state;
  uint8_t *bytes = new_buffer();
  const et_span buffer = {bytes, BYTES};
  assert_int_equal(et_fb_check_table(buffer, TABLE_AT), 16);
  const et_fb_table table = et_fb_table_at(buffer, TABLE_AT);
  assert_int_equal(et_fb_position(buffer, table), TABLE_AT);
  assert_int_equal(et_fb_u32(table, 0), 77);
  assert_false(et_fb_has(table, 1));
  assert_int_equal(et_fb_u32(table, 1), 0);
  assert_int_equal(et_fb_u32(table, 2), 0);
  free(bytes);
}

static void test_absent_fields_are_empty(void **state) {
  (void)state;
  const et_fb_table table = ET_FB_ABSENT_TABLE;
  const et_fb_vector vector = ET_FB_EMPTY_VECTOR;
  assert_int_equal(et_fb_u64(table, 0), 0);
  assert_false(et_fb_has(table, 0));
  assert_ptr_equal(et_fb_child(table, 0), ET_FB_ABSENT_TABLE);
  assert_ptr_equal(et_fb_list(table, 0), ET_FB_EMPTY_VECTOR);
  assert_string_equal(et_fb_text(table, 0).data, "");
  assert_null(et_fb_bytes(table, 0).data);
  assert_int_equal(et_fb_count(vector), 0);
  assert_null(et_fb_data(vector));
  assert_int_equal(et_fb_u64_at(vector, 0), 0);
  assert_ptr_equal(et_fb_child_at(vector, 0), ET_FB_ABSENT_TABLE);
}

static void test_text_of_one_character_is_read(void **state) {
  (void)state;
  uint8_t *bytes = calloc(1, BYTES + 8);
  const et_span buffer = {bytes, BYTES + 8};
  put_u16(bytes, 0, 8);
  put_u16(bytes, 2, 8);
  put_u16(bytes, 4, 4);
  put_u32(bytes, TABLE_AT, TABLE_AT);
  put_u32(bytes, TABLE_AT + 4, 4);
  put_u32(bytes, TABLE_AT + 8, 1);
  bytes[TABLE_AT + 12] = 'x';
  const et_string text = et_fb_text(et_fb_table_at(buffer, TABLE_AT), 0);
  assert_int_equal(text.size, 1);
  assert_string_equal(text.data, "x");
  free(bytes);
}

static void expect_no_table(size_t at, size_t width, uint32_t value) {
  uint8_t *bytes = new_buffer();
  memcpy(bytes + at, &value, width);
  assert_false(read_table(bytes, BYTES, TABLE_AT));
  free(bytes);
}

static void test_each_size_of_a_table_is_checked(void **state) {
  (void)state;
  expect_no_table(0, 2, 2); /* vtable size: less than 4 */
  expect_no_table(0, 2, 0);
  expect_no_table(0, 2, 7);  /* odd size */
  expect_no_table(0, 2, 18); /* beyond the buffer */
  expect_no_table(2, 2, 3);  /* table size: less than 4 */
  expect_no_table(2, 2, 9);  /* beyond the buffer */
}

static void test_vtable_must_be_inside_the_buffer(void **state) {
  (void)state;
  expect_no_table(TABLE_AT, 4, TABLE_AT + 1); /* before the buffer */
  /* Truncated by the end of the buffer. */
  expect_no_table(TABLE_AT, 4, (uint32_t)-(BYTES - 11));
  expect_no_table(TABLE_AT, 4, (uint32_t)-100); /* after the buffer */
}

static void test_table_offset_must_be_inside_the_buffer(void **state) {
  (void)state;
  uint8_t *bytes = new_buffer();
  assert_false(read_table(bytes, BYTES, BYTES - 3));
  assert_false(read_table(bytes, BYTES, BYTES));
  assert_false(read_table(bytes, BYTES, UINT32_MAX - 1));
  for (size_t size = 0; size < BYTES; size++) {
    assert_false(read_table(bytes, size, TABLE_AT));
  }
  /* Positions have 32 bits; sizes are below 2^31. */
  assert_true(read_table(bytes, INT32_MAX, TABLE_AT));
  assert_false(read_table(bytes, (size_t)INT32_MAX + 1, TABLE_AT));
  free(bytes);
}

static uint32_t find(uint16_t offset, unsigned field, uint32_t width) {
  uint8_t *bytes = new_buffer();
  const et_span buffer = {bytes, BYTES};
  put_u16(bytes, 4, offset);
  assert_true(et_fb_check_table(buffer, TABLE_AT) != 0);
  const uint32_t found =
      et_fb_find(et_fb_table_at(buffer, TABLE_AT), field, width);
  free(bytes);
  return found;
}

static void test_fields_must_be_inside_their_table(void **state) {
  (void)state;
  assert_int_equal(find(4, 0, 4), 4);
  assert_int_equal(find(7, 0, 1), 7);
  assert_int_equal(find(0, 0, 1), ET_FB_ABSENT);
  assert_int_equal(find(4, 1, 1), ET_FB_ABSENT);
  assert_int_equal(find(4, 2, 1), ET_FB_ABSENT);
  /* Overlaps the offset to the vtable. */
  assert_int_equal(find(3, 0, 1), ET_FB_BROKEN);
  assert_int_equal(find(5, 0, 4), ET_FB_BROKEN);
  assert_int_equal(find(8, 0, 1), ET_FB_BROKEN);
  assert_int_equal(find(UINT16_MAX, 0, 1), ET_FB_BROKEN);
}

static void test_offsets_must_point_into_the_buffer(void **state) {
  (void)state;
  uint8_t *bytes = calloc(1, BYTES);
  const et_span buffer = {bytes, BYTES};
  const struct {
    uint32_t position;
    uint32_t offset;
    bool leads;
  } cases[] = {
      {0, 12, true}, {0, 13, false}, {0, 0, false},          {4, 8, true},
      {4, 9, false}, {12, 4, false}, {0, UINT32_MAX, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put_u32(bytes, cases[i].position, cases[i].offset);
    assert_int_equal(et_fb_check_offset(buffer, cases[i].position),
                     cases[i].leads ? cases[i].position + cases[i].offset : 0);
  }
  assert_int_equal(et_fb_check_offset(buffer, BYTES - 3), 0);
  free(bytes);
}

static void test_vectors_must_be_inside_the_buffer(void **state) {
  (void)state;
  uint8_t *bytes = calloc(1, BYTES);
  const et_span buffer = {bytes, BYTES};
  const et_fb_vector vector = (et_fb_vector)(const void *)bytes;
  put_u32(bytes, 0, 3);
  put_u32(bytes, 4, 10);
  put_u32(bytes, 12, 30);
  assert_true(et_fb_check_vector(buffer, 0, 4));
  assert_int_equal(et_fb_count(vector), 3);
  assert_int_equal(et_fb_i32_at(vector, 0), 10);
  assert_int_equal(et_fb_i32_at(vector, 2), 30);
  assert_int_equal(et_fb_i32_at(vector, 3), 0);
  assert_false(et_fb_check_vector(buffer, 0, 8)); /* wrong element size */
  put_u32(bytes, 0, 4);
  assert_false(et_fb_check_vector(buffer, 0, 4));
  put_u32(bytes, 0, UINT32_MAX);
  assert_false(et_fb_check_vector(buffer, 0, 8));
  put_u32(bytes, 12, 0);
  assert_true(et_fb_check_vector(buffer, 12, 4));
  assert_false(et_fb_check_vector(buffer, 13, 4));
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table_that_fills_the_buffer_is_read),
      cmocka_unit_test(test_absent_fields_are_empty),
      cmocka_unit_test(test_text_of_one_character_is_read),
      cmocka_unit_test(test_each_size_of_a_table_is_checked),
      cmocka_unit_test(test_vtable_must_be_inside_the_buffer),
      cmocka_unit_test(test_table_offset_must_be_inside_the_buffer),
      cmocka_unit_test(test_fields_must_be_inside_their_table),
      cmocka_unit_test(test_offsets_must_point_into_the_buffer),
      cmocka_unit_test(test_vectors_must_be_inside_the_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
