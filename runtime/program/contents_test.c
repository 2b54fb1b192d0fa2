/* Tests keys that contain the hash of an entry's layout and bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/core/sha256.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

enum { HEADER_END = 48, FLOAT32 = 6, NO_LAYOUT = -1 };

static const uint8_t content[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static et_program_writer writer;
static _Alignas(16) uint8_t file[2048];
static et_extent extents[2];
static et_data_source sources[2];
static et_program program;
static et_error error;

/* A float32 tensor of two elements, or bytes without a layout. */
typedef struct tensor_shape {
  int rank; /* or NO_LAYOUT */
  int32_t sizes[ET_MAX_RANK];
  uint8_t dim_order[ET_MAX_RANK];
} tensor_shape;

static tensor_shape shape_of(int rank) {
  tensor_shape shape = {.rank = rank};
  for (int d = 0; d < rank; d++) {
    shape.sizes[d] = d == 0 ? 2 : 1;
    shape.dim_order[d] = (uint8_t)d;
  }
  return shape;
}

/* Writes the key of the content with this shape. */
static void write_key(const tensor_shape *shape, char key[80]) {
  const uint8_t head[2] = {FLOAT32, (uint8_t)shape->rank};
  uint8_t digest[ET_SHA256_BYTES];
  et_sha256 hash;
  et_sha256_start(&hash);
  if (shape->rank != NO_LAYOUT) {
    et_sha256_add(&hash, head, sizeof head);
    et_sha256_add(&hash, shape->sizes, (size_t)shape->rank * 4);
    et_sha256_add(&hash, shape->dim_order, (size_t)shape->rank);
  }
  et_sha256_add(&hash, content, sizeof content);
  et_sha256_finish(&hash, digest);
  strcpy(key, ET_CONTENT_KEY_PREFIX);
  for (size_t i = 0; i < sizeof digest; i++) {
    snprintf(key + strlen(key), 3, "%02x", digest[i]);
  }
}

static size_t add_layout(et_fb_writer *out, const tensor_shape *shape) {
  const size_t layout = et_fb_add_table(out, 3);
  const uint32_t rank = (uint32_t)shape->rank;
  et_fb_set_i8(out, layout, ET_LAYOUT_SCALAR_TYPE, FLOAT32);
  et_fb_refer(out, layout, ET_LAYOUT_SIZES,
              et_fb_add_vector(out, shape->sizes, rank, 4));
  et_fb_refer(out, layout, ET_LAYOUT_DIM_ORDER,
              et_fb_add_vector(out, shape->dim_order, rank, 1));
  return layout;
}

/* Writes a .ptd file with one entry. Returns the position of its bytes. */
static size_t write_file(const char *key, const tensor_shape *shape) {
  et_fb_writer out = {file, 0, sizeof file};
  et_fb_append(&out, HEADER_END, 1);
  const size_t root = et_fb_add_table(&out, 3);
  const size_t segments = et_fb_add_vector(&out, NULL, 1, 4);
  et_fb_refer(&out, root, ET_FLAT_SEGMENTS, segments);
  const size_t segment = et_fb_add_table(&out, 2);
  et_fb_refer_element(&out, segments, 0, segment);
  et_fb_set_i64(&out, segment, ET_SEGMENT_SIZE, sizeof content);
  const size_t named = et_fb_add_vector(&out, NULL, 1, 4);
  et_fb_refer(&out, root, ET_FLAT_NAMED_DATA, named);
  const size_t entry = et_fb_add_table(&out, 3);
  et_fb_refer_element(&out, named, 0, entry);
  et_fb_refer(&out, entry, ET_NAMED_DATA_KEY, et_fb_add_text(&out, key));
  if (shape->rank != NO_LAYOUT) {
    et_fb_refer(&out, entry, ET_NAMED_DATA_LAYOUT, add_layout(&out, shape));
  }
  const uint64_t end = out.size;
  const size_t base = et_fb_append(&out, sizeof content, 16);
  const uint32_t first[4] = {(uint32_t)root, 0, 0, 40};
  const uint64_t areas[4] = {HEADER_END, end - HEADER_END, base,
                             sizeof content};
  memcpy(file, first, sizeof first);
  memcpy(file + 4, "FT01FH01", 8);
  memcpy(file + 16, areas, sizeof areas);
  memcpy(file + base, content, sizeof content);
  extents[1].bytes.data = file;
  extents[1].bytes.size = out.size;
  return base;
}

/* Opens the written file as the data of a program. */
static void open_program(void) {
  et_test_write_copy(&writer, 4);
  extents[0].bytes = et_writer_finish(&writer);
  for (size_t i = 0; i < 2; i++) {
    const et_data_source source = {
        "data", extents[i].bytes.size, &extents[i], 1, NULL, NULL};
    sources[i] = source;
  }
  et_error_clear(&error);
  if (et_program_load_sources(sources, 2, &program, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

static void test_content_key_of_any_rank_is_accepted(void **state) {
  (void)state;
  char key[80];
  for (int rank = NO_LAYOUT; rank <= ET_MAX_RANK; rank++) {
    if (rank == 0) {
      continue; /* two elements need a dimension */
    }
    const tensor_shape shape = shape_of(rank);
    write_key(&shape, key);
    write_file(key, &shape);
    open_program();
    if (et_program_check_contents(&program, &error) != ET_STATUS_OK) {
      fail_msg("rank %d: %s", rank, error.message);
    }
  }
}

static void expect_other_content(void) {
  open_program();
  assert_int_equal(et_program_check_contents(&program, &error),
                   ET_STATUS_INVALID_EXTERNAL_DATA);
  assert_non_null(strstr(error.message, "does not have the digest"));
}

static void test_content_key_of_another_shape_is_refused(void **state) {
  (void)state;
  char key[80];
  const tensor_shape row = {2, {1, 2}, {0, 1}};
  const tensor_shape others[] = {{2, {2, 1}, {0, 1}},
                                 {2, {1, 2}, {1, 0}},
                                 {1, {2}, {0}},
                                 {NO_LAYOUT, {0}, {0}}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    write_key(&others[i], key);
    write_file(key, &row);
    expect_other_content();
    write_key(&row, key);
    write_file(key, &others[i]);
    expect_other_content();
  }
}

static void test_content_key_of_other_bytes_is_refused(void **state) {
  (void)state;
  char key[80];
  const tensor_shape shape = shape_of(1);
  write_key(&shape, key);
  for (size_t i = 0; i < sizeof content; i++) {
    file[write_file(key, &shape) + i] ^= 1;
    expect_other_content();
  }
}

static void test_every_digit_of_a_content_key_is_compared(void **state) {
  (void)state;
  char key[80];
  const tensor_shape shape = shape_of(1);
  for (size_t i = 0; i < 2 * ET_SHA256_BYTES; i++) {
    write_key(&shape, key);
    char *digit = &key[strlen(ET_CONTENT_KEY_PREFIX) + i];
    *digit = *digit == '0' ? '1' : '0';
    write_file(key, &shape);
    expect_other_content();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_content_key_of_any_rank_is_accepted),
      cmocka_unit_test(test_content_key_of_another_shape_is_refused),
      cmocka_unit_test(test_content_key_of_other_bytes_is_refused),
      cmocka_unit_test(test_every_digit_of_a_content_key_is_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
