/* Tests many unsorted pieces, and overlapping pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/program/pieces.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/testing/program_test_support.h"

enum {
  MANY = 2 * ET_PIECE_WINDOW + 8,
  STEP = 24, /* distance between segments */
  HEADER = 32
};

static et_program_writer writer;
static _Alignas(64) uint8_t file[2 * ET_WRITER_BYTES];
static et_program program;
static et_data_needs needs;
static et_piece_walk walk;

static void start(void) {
  et_writer_start(&writer, 64);
  et_writer_input(&writer, et_writer_floats(&writer, 2, 0));
  et_writer_output(&writer, et_writer_floats(&writer, 2, 16));
}

static void add_delegate(void) {
  const int32_t args[3] = {0, 0, 1};
  et_writer_delegate(&writer, "TestBackend", "payload", args, 3);
}

/* Adds a vector of `count` tables with two fields to the program. */
static size_t add_vector(uint16_t field, uint32_t count) {
  const size_t vector = et_fb_add_vector(&writer.buffer, NULL, count, 4);
  et_fb_refer(&writer.buffer, writer.program, field, vector);
  return vector;
}

static void add_segment(size_t vector, uint32_t index, int64_t offset,
                        int64_t count) {
  const size_t table = et_fb_add_table(&writer.buffer, 2);
  et_fb_refer_element(&writer.buffer, vector, index, table);
  et_fb_set_i64(&writer.buffer, table, ET_SEGMENT_OFFSET, offset);
  et_fb_set_i64(&writer.buffer, table, ET_SEGMENT_SIZE, count);
}

static void add_name(size_t vector, uint32_t index, int32_t segment) {
  char key[8];
  snprintf(key, sizeof key, "k%05u", (unsigned)index);
  const size_t table = et_fb_add_table(&writer.buffer, 2);
  et_fb_refer_element(&writer.buffer, vector, index, table);
  et_fb_set_i32(&writer.buffer, table, ET_NAMED_DATA_SEGMENT, segment);
  et_fb_refer(&writer.buffer, table, ET_NAMED_DATA_KEY,
              et_fb_add_text(&writer.buffer, key));
}

static et_status refuse_read(void *context, uint64_t offset, size_t size,
                             void *out, et_error *error) {
  (void)context;
  (void)offset;
  (void)size;
  (void)out;
  return et_fail(error, ET_STATUS_ACCESS_FAILED, "nothing should be read");
}

static et_extent tables;
static et_data_source source = {"flash", 0, &tables, 1, refuse_read, NULL};

/* Opens the written program, with a header before its tables. `count` bytes of
 * segments follow the tables and are not in memory. */
static void open_reading(uint64_t count) {
  const et_span plain = et_writer_finish(&writer);
  const uint32_t root = (uint32_t)writer.program + HEADER;
  const uint32_t length = HEADER;
  const uint64_t end = plain.size + HEADER;
  const uint64_t header[3] = {end, (end + 15) / 16 * 16, count};
  memcpy(file, &root, sizeof root);
  memcpy(file + 4, "ET12eh00", 8);
  memcpy(file + 12, &length, sizeof length);
  memcpy(file + 16, header, sizeof header);
  memcpy(file + 8 + HEADER, plain.data + 8, plain.size - 8);
  tables.bytes.data = file;
  tables.bytes.size = (size_t)end;
  source.size = header[1] + count;
  et_error error;
  et_error_clear(&error);
  if (et_program_load_sources(&source, 1, &program, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

static void start_walk(void) {
  const et_fb_table plan = et_tables_plan(&program, 0);
  needs.program = &program;
  needs.values = et_tables_vector(plan, ET_PLAN_VALUES);
  needs.delegates = et_tables_vector(plan, ET_PLAN_DELEGATES);
  et_piece_walk_start(&walk, &needs);
}

static void expect_next(uint64_t offset, size_t size) {
  et_piece piece = {0, 0};
  assert_int_equal(et_piece_walk_next(&walk, &piece), ET_STATUS_OK);
  assert_int_equal(piece.size, size);
  if (size != 0) {
    assert_int_equal(piece.offset - program.segments_offset, offset);
  }
}

/* Writes more pieces than a window has, with segments and names in different
 * orders. */
static void write_many(void) {
  start();
  add_delegate();
  const size_t segments = add_vector(ET_PROGRAM_SEGMENTS, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    add_segment(segments, i, (int64_t)(i * 7 % MANY) * STEP, 8 + i % 2);
  }
  const size_t names = add_vector(ET_PROGRAM_NAMED_DATA, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    add_name(names, i, (int32_t)(MANY - 1 - i));
  }
}

static void test_many_pieces_are_sorted_by_offset(void **state) {
  (void)state;
  size_t sizes[MANY];
  for (uint32_t i = 0; i < MANY; i++) {
    sizes[i * 7 % MANY] = 8 + i % 2;
  }
  write_many();
  open_reading(MANY * STEP);
  start_walk();
  for (uint64_t i = 0; i < MANY; i++) {
    expect_next(i * STEP, sizes[i]);
  }
  expect_next(0, 0);
  expect_next(0, 0);
}

static void test_sorting_work_is_limited(void **state) {
  (void)state;
  et_error error;
  et_piece piece;
  write_many();
  open_reading(MANY * STEP);
  start_walk();
  needs.error = &error;
  et_error_clear(&error);
  walk.steps_left = 2 * (uint64_t)walk.count;
  for (uint32_t i = 0; i < 2 * ET_PIECE_WINDOW - 1; i++) {
    assert_int_equal(et_piece_walk_next(&walk, &piece), ET_STATUS_OK);
  }
  assert_int_equal(et_piece_walk_next(&walk, &piece),
                   ET_STATUS_OUT_OF_RESOURCES);
  assert_string_equal(error.message,
                      "the method has too many constants outside of extents; "
                      "provide them in one extent");
}

/* Writes constants of 8 bytes at four offsets. */
static void write_constants_at(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const uint64_t offsets[5] = {0, a, b, c, d};
  start();
  for (int32_t i = 1; i < 5; i++) {
    et_writer_floats(&writer, 2, ET_NOT_PLANNED);
    et_fb_set_i32(&writer.buffer, writer.last_table, ET_TENSOR_DATA_BUFFER, i);
  }
  add_segment(add_vector(ET_PROGRAM_SEGMENTS, 1), 0, 0, 24);
  const size_t table = et_fb_add_table(&writer.buffer, 2);
  et_fb_refer(&writer.buffer, writer.program, ET_PROGRAM_CONSTANT_SEGMENT,
              table);
  et_fb_set_i32(&writer.buffer, table, ET_SUBSEGMENT_INDEX, 0);
  et_fb_refer(&writer.buffer, table, ET_SUBSEGMENT_OFFSETS,
              et_fb_add_vector(&writer.buffer, offsets, 5, sizeof *offsets));
}

static void write_constants(void) { write_constants_at(0, 4, 16, 0); }

static void test_overlapping_pieces_merge(void **state) {
  (void)state;
  write_constants();
  open_reading(24);
  start_walk();
  expect_next(0, 12);
  expect_next(16, 8);
  expect_next(0, 0);
}

static void test_adjacent_pieces_stay_separate(void **state) {
  (void)state;
  write_constants_at(8, 16, 0, 8);
  open_reading(24);
  start_walk();
  expect_next(0, 8);
  expect_next(8, 8);
  expect_next(16, 8);
  expect_next(0, 0);
}

static void test_chain_of_overlapping_pieces_merges(void **state) {
  (void)state;
  write_constants_at(12, 0, 4, 8);
  open_reading(24);
  start_walk();
  expect_next(0, 20);
  expect_next(0, 0);
}

static void test_longest_piece_of_equal_start_wins(void **state) {
  (void)state;
  write_constants();
  add_delegate();
  add_name(add_vector(ET_PROGRAM_NAMED_DATA, 1), 0, 0);
  open_reading(24);
  start_walk();
  expect_next(0, 24);
  expect_next(0, 0);
}

/* Without delegates, named data is not needed. */
static void test_named_data_is_reserved_for_delegates(void **state) {
  (void)state;
  start();
  add_segment(add_vector(ET_PROGRAM_SEGMENTS, 1), 0, 0, 24);
  add_name(add_vector(ET_PROGRAM_NAMED_DATA, 1), 0, 0);
  open_reading(24);
  start_walk();
  expect_next(0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_pieces_are_sorted_by_offset),
      cmocka_unit_test(test_sorting_work_is_limited),
      cmocka_unit_test(test_overlapping_pieces_merge),
      cmocka_unit_test(test_adjacent_pieces_stay_separate),
      cmocka_unit_test(test_chain_of_overlapping_pieces_merges),
      cmocka_unit_test(test_longest_piece_of_equal_start_wins),
      cmocka_unit_test(test_named_data_is_reserved_for_delegates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
