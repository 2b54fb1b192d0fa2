/* Tests programs that are in several pieces, or are read on demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/program.h"
#include "runtime/program/reading.h"
#include "runtime/program/source.h"
#include "runtime/testing/program_test_support.h"

static const char *const FIXTURE = "bundled_linear_plain";

static uint8_t *bytes;
static size_t size;
static et_program program;

static int open_fixture(void **state) {
  (void)state;
  bytes = et_test_read_fixture(FIXTURE, &size);
  return 0;
}

static int close_fixture(void **state) {
  (void)state;
  free(bytes);
  return 0;
}

static et_status read_file(void *context, uint64_t offset, size_t count,
                           void *out, et_error *error) {
  (void)error;
  *(size_t *)context += 1;
  memcpy(out, bytes + offset, count);
  return ET_STATUS_OK;
}

static et_extent extent(uint64_t offset, size_t count) {
  const et_extent result = {offset, {bytes + offset, count}};
  return result;
}

static et_data_source source_of(const et_extent *extents, size_t count) {
  const et_data_source source = {"flash", size, extents, count, NULL, NULL};
  return source;
}

static void expect_refused(const et_data_source *sources, size_t count,
                           et_status status, const char *message) {
  et_error error;
  et_error_clear(&error);
  assert_int_equal(et_program_load_sources(sources, count, &program, &error),
                   status);
  assert_string_equal(error.message, message);
}

static void expect_extents_refused(const et_extent *extents, size_t count,
                                   const char *message) {
  const et_data_source source = source_of(extents, count);
  char expected[ET_ERROR_MESSAGE_BYTES];
  snprintf(expected, sizeof expected, "%s; correct the extent", message);
  expect_refused(&source, 1, ET_STATUS_INVALID_ARGUMENT, expected);
}

static void test_sources_must_be_present_and_named(void **state) {
  (void)state;
  const et_extent whole = extent(0, size);
  et_data_source sources[2] = {source_of(&whole, 1), source_of(&whole, 1)};
  expect_refused(sources, 0, ET_STATUS_INVALID_ARGUMENT,
                 "count is 0; pass the program as the first source");
  sources[1].name = "weights";
  expect_refused(sources, 2, ET_STATUS_INVALID_EXTERNAL_DATA,
                 "source 'weights': bytes 45 54 31 32 are not the identifier "
                 "'FT01'; pass a data file (.ptd)");
  sources[1].name = NULL;
  expect_refused(sources, 2, ET_STATUS_INVALID_ARGUMENT,
                 "sources[1].name is NULL; name the source");
}

static void test_empty_source_is_refused(void **state) {
  (void)state;
  const et_data_source source = {"flash", 0, NULL, 0, read_file, NULL};
  expect_refused(&source, 1, ET_STATUS_INVALID_ARGUMENT,
                 "source 'flash' is empty; pass its size");
}

static void test_single_extent_is_the_whole_file(void **state) {
  (void)state;
  const et_extent whole = extent(0, size);
  const et_data_source source = source_of(&whole, 1);
  assert_int_equal(et_program_load_sources(&source, 1, &program, NULL),
                   ET_STATUS_OK);
  assert_null(program.sources);
  assert_ptr_equal(program.file.data, bytes);
}

/* A constant of one byte is data; an empty one has no address. */
static void test_smallest_piece_has_an_address(void **state) {
  (void)state;
  const et_extent whole = extent(0, size);
  const et_data_source source = source_of(&whole, 1);
  assert_int_equal(et_program_load_sources(&source, 1, &program, NULL),
                   ET_STATUS_OK);
  const et_piece pieces[] = {{size - 1, 1}, {size - 1, 0}};
  assert_ptr_equal(et_data_find(&program, NULL, &pieces[0]), bytes + size - 1);
  assert_null(et_data_find(&program, NULL, &pieces[1]));
}

static et_status read_piece(const et_program *opened, const et_data *data,
                            et_piece piece, et_span *out_bytes,
                            et_error *error) {
  (void)opened;
  (void)data;
  (void)error;
  out_bytes->data = bytes + piece.offset;
  out_bytes->size = piece.size;
  return ET_STATUS_OK;
}

static void test_smallest_piece_is_read(void **state) {
  (void)state;
  const struct et_reading reading = {.get = read_piece};
  const et_program opened = {.reading = &reading};
  const et_piece pieces[] = {{16, 1}, {16, 0}};
  et_span found;
  assert_int_equal(et_data_get(&opened, NULL, pieces[0], &found, NULL),
                   ET_STATUS_OK);
  assert_ptr_equal(found.data, bytes + 16);
  assert_int_equal(found.size, 1);
  assert_int_equal(et_data_get(&opened, NULL, pieces[1], &found, NULL),
                   ET_STATUS_OK);
  assert_null(found.data);
  assert_int_equal(found.size, 0);
}

static void test_invalid_extents_are_refused(void **state) {
  (void)state;
  const et_extent overlap[] = {extent(0, 1008), extent(992, size - 992)};
  expect_extents_refused(overlap, 2,
                         "source 'flash': extents[1] starts before the end of "
                         "the previous extent");
  const et_extent falling[] = {extent(1008, size - 1008), extent(0, 1008)};
  const et_data_source backwards = {"flash", size,      falling,
                                    2,       read_file, &size};
  expect_refused(&backwards, 1, ET_STATUS_INVALID_ARGUMENT,
                 "source 'flash': extents[1] starts before the end of the "
                 "previous extent; correct the extent");
  et_extent wild[] = {extent(0, 1008), extent(1008, size - 1008)};
  wild[1].offset = UINT64_MAX - 15;
  expect_extents_refused(wild, 2,
                         "source 'flash': extents[1] is outside the source");
  wild[1] = extent(1008, size - 1008);
  wild[1].bytes.size += 1;
  expect_extents_refused(wild, 2,
                         "source 'flash': extents[1] is outside the source");
  wild[1].bytes.size = 0;
  expect_extents_refused(wild, 2, "source 'flash': extents[1] is empty");
  wild[1] = extent(1008, size - 1008);
  wild[1].bytes.data = NULL;
  expect_extents_refused(wild, 2, "source 'flash': extents[1] is empty");
  wild[1].bytes.data = bytes + 1004;
  expect_extents_refused(wild, 2,
                         "source 'flash': extents[1] has an address and an "
                         "offset that differ modulo 16");
}

static void test_gaps_require_a_read_function(void **state) {
  (void)state;
  const et_extent parts[] = {extent(0, 1008), extent(1040, 16)};
  et_data_source source = source_of(parts, 2);
  size_t reads = 0;
  expect_refused(&source, 1, ET_STATUS_INVALID_ARGUMENT,
                 "source 'flash': 32 bytes at 1008 are outside all extents; "
                 "add an extent or a read function");
  source.extent_count = 1;
  expect_refused(&source, 1, ET_STATUS_INVALID_ARGUMENT,
                 "source 'flash': 588 bytes at 1008 are outside all extents; "
                 "add an extent or a read function");
  source.extent_count = 2;
  source.read = read_file;
  source.context = &reads;
  et_program_load_sources(&source, 1, &program, NULL);
  assert_int_equal(reads, 0);
}

/* Returns the size of the tables, from the header. */
static size_t table_bytes(void) {
  uint64_t tables = 0;
  memcpy(&tables, bytes + 16, sizeof tables);
  return (size_t)tables;
}

static void test_program_tables_must_be_in_the_first_extent(void **state) {
  (void)state;
  const size_t tables = table_bytes();
  for (size_t cut = 1; cut < size; cut++) {
    const et_extent parts[] = {extent(0, cut), extent(cut, size - cut)};
    const et_data_source source = source_of(parts, 2);
    et_error error;
    et_error_clear(&error);
    const et_status status =
        et_program_load_sources(&source, 1, &program, &error);
    if (cut >= tables) {
      assert_int_equal(status, ET_STATUS_OK);
      continue;
    }
    assert_int_equal(status, ET_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "source 'flash': the first extent"));
  }
}

static void test_header_must_be_in_the_first_extent(void **state) {
  (void)state;
  size_t reads = 0;
  et_extent later = extent(16, size - 16);
  et_data_source source = {"flash", size, &later, 1, read_file, &reads};
  expect_refused(&source, 1, ET_STATUS_INVALID_ARGUMENT,
                 "source 'flash': the first extent must start at 0 and hold "
                 "the 64 bytes of its header, but holds 0");
  source.extent_count = 0;
  expect_refused(&source, 1, ET_STATUS_INVALID_ARGUMENT,
                 "source 'flash': the first extent must start at 0 and hold "
                 "the 64 bytes of its header, but holds 0");
}

/* Returns true if `offset` is in one of the three extents below. */
static bool is_in_memory(uint64_t offset) {
  return (offset >= 16 && offset < 24) || (offset >= 32 && offset < 64);
}

static et_status read_gap(void *context, uint64_t offset, size_t count,
                          void *out, et_error *error) {
  for (size_t i = 0; i < count; i++) {
    assert_false(is_in_memory(offset + i));
  }
  return read_file(context, offset, count, out, error);
}

/* Reads all possible pieces of a source with three extents and gaps. */
static void test_pieces_are_assembled_from_all_extents(void **state) {
  (void)state;
  enum { LENGTH = 96 };
  size_t reads = 0;
  const et_extent parts[] = {extent(16, 8), extent(32, 16), extent(48, 16)};
  const et_data_source source = {"flash", LENGTH, parts, 3, read_gap, &reads};
  assert_int_equal(et_source_check(&source, NULL), ET_STATUS_OK);
  for (size_t begin = 0; begin <= LENGTH; begin++) {
    for (size_t end = begin; end <= LENGTH; end++) {
      const et_piece piece = {begin, end - begin};
      uint8_t *out = malloc(piece.size + 1);
      out[piece.size] = 0x5A;
      assert_int_equal(et_source_read(&source, piece, out, NULL), ET_STATUS_OK);
      assert_memory_equal(out, bytes + begin, piece.size);
      assert_int_equal(out[piece.size], 0x5A);
      free(out);
    }
  }
}

/* A piece within one extent is used in place. Other pieces have no address. */
static void test_pieces_in_one_extent_are_not_copied(void **state) {
  (void)state;
  enum { LENGTH = 96 };
  size_t reads = 0;
  const et_extent parts[] = {extent(16, 8), extent(32, 16), extent(48, 16)};
  const et_data_source source = {"flash", LENGTH, parts, 3, read_gap, &reads};
  const et_program opened = {.sources = &source, .source_count = 1};
  for (size_t begin = 0; begin < LENGTH; begin++) {
    for (size_t end = begin + 1; end <= LENGTH; end++) {
      const et_piece piece = {begin, end - begin};
      const uint8_t *expected = NULL;
      for (size_t i = 0; i < 3; i++) {
        const size_t first = (size_t)parts[i].offset;
        if (begin >= first && end <= first + parts[i].bytes.size) {
          expected = bytes + begin;
        }
      }
      assert_ptr_equal(et_source_address(&opened, piece), expected);
    }
    const et_piece nothing = {begin, 0};
    assert_null(et_source_address(&opened, nothing));
  }
  assert_int_equal(reads, 0);
}

static et_status fail_read(void *context, uint64_t offset, size_t count,
                           void *out, et_error *error) {
  (void)offset;
  (void)count;
  (void)out;
  return context != NULL ? et_fail(error, ET_STATUS_ACCESS_FAILED, "bus error")
                         : ET_STATUS_OUT_OF_RESOURCES;
}

static void test_read_errors_state_the_offset(void **state) {
  (void)state;
  const et_extent part = extent(16, 16);
  et_data_source source = {"flash", 64, &part, 1, fail_read, &size};
  const et_piece piece = {24, 20};
  uint8_t out[20];
  et_error error;
  et_error_clear(&error);
  assert_int_equal(et_source_read(&source, piece, out, &error),
                   ET_STATUS_ACCESS_FAILED);
  assert_string_equal(error.message,
                      "source 'flash': reading 12 bytes at 32: bus error");
  source.context = NULL;
  et_error_clear(&error);
  assert_int_equal(et_source_read(&source, piece, out, &error),
                   ET_STATUS_OUT_OF_RESOURCES);
  assert_string_equal(error.message,
                      "source 'flash': reading 12 bytes at 32: a limit of the "
                      "runtime was exceeded");
}

#define TEST(test) \
  cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_sources_must_be_present_and_named),
      TEST(test_empty_source_is_refused),
      TEST(test_single_extent_is_the_whole_file),
      TEST(test_smallest_piece_has_an_address),
      TEST(test_smallest_piece_is_read),
      TEST(test_invalid_extents_are_refused),
      TEST(test_gaps_require_a_read_function),
      TEST(test_program_tables_must_be_in_the_first_extent),
      TEST(test_header_must_be_in_the_first_extent),
      TEST(test_pieces_are_assembled_from_all_extents),
      TEST(test_pieces_in_one_extent_are_not_copied),
      TEST(test_read_errors_state_the_offset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
