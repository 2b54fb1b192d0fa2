/* Tests external tensors of written programs and data files, with keys, offsets
 * and sizes that the fixtures do not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

enum { HEAD_BYTES = 48, MAX_BYTES = 64 };

static et_program_writer writer;
static _Alignas(64) uint8_t data[1024];
static et_extent extents[2];
static et_data_source sources[2];
static et_program program;
static et_hosted_method hosted;
static et_error error;

/* Writes a data file with the floats 1, 2, … `count` under the key. They start
 * `shift` bytes after a multiple of 64. */
static void write_data(const char *key, int32_t count, uint64_t shift) {
  memset(data, 0, sizeof data);
  et_fb_writer out = {data, 0, sizeof data};
  const uint8_t dim_order = 0;
  et_fb_append(&out, HEAD_BYTES, 1);
  const size_t root = et_fb_add_table(&out, 3);
  const size_t segments = et_fb_add_vector(&out, NULL, 1, 4);
  et_fb_refer(&out, root, ET_FLAT_SEGMENTS, segments);
  const size_t segment = et_fb_add_table(&out, 2);
  et_fb_refer_element(&out, segments, 0, segment);
  et_fb_set_i64(&out, segment, ET_SEGMENT_OFFSET, (int64_t)shift);
  et_fb_set_i64(&out, segment, ET_SEGMENT_SIZE, 4 * (int64_t)count);
  const size_t entries = et_fb_add_vector(&out, NULL, 1, 4);
  et_fb_refer(&out, root, ET_FLAT_NAMED_DATA, entries);
  const size_t entry = et_fb_add_table(&out, 3);
  et_fb_refer_element(&out, entries, 0, entry);
  et_fb_refer(&out, entry, ET_NAMED_DATA_KEY, et_fb_add_text(&out, key));
  const size_t layout = et_fb_add_table(&out, 3);
  et_fb_refer(&out, entry, ET_NAMED_DATA_LAYOUT, layout);
  et_fb_set_i8(&out, layout, ET_LAYOUT_SCALAR_TYPE, ET_SCALAR_TYPE_FLOAT32);
  et_fb_refer(&out, layout, ET_LAYOUT_SIZES,
              et_fb_add_vector(&out, &count, 1, sizeof count));
  et_fb_refer(&out, layout, ET_LAYOUT_DIM_ORDER,
              et_fb_add_vector(&out, &dim_order, 1, 1));

  const uint64_t base = (out.size + 63) / 64 * 64;
  const uint64_t header[4] = {HEAD_BYTES, out.size - HEAD_BYTES, base,
                              MAX_BYTES};
  const uint32_t start = (uint32_t)root, length = 40;
  memcpy(data, &start, sizeof start);
  memcpy(data + 4, "FT01FH01", 8);
  memcpy(data + 12, &length, sizeof length);
  memcpy(data + 16, header, sizeof header);
  for (int32_t i = 0; i < count; i++) {
    const float value = (float)(i + 1);
    memcpy(data + base + shift + 4 * (size_t)i, &value, sizeof value);
  }
  extents[1] = (et_extent){0, {data, (size_t)base + MAX_BYTES}};
}

/* Writes a program that copies an external tensor to its output. `offset` is
 * that of a state's memory, or ET_NOT_PLANNED for a constant. */
static void write_program(const char *key, int32_t count, int32_t offset) {
  et_writer_start(&writer, 64);
  const int32_t x = et_writer_floats(&writer, count, offset);
  const size_t extra = et_fb_add_table(&writer.buffer, 5);
  et_fb_refer(&writer.buffer, writer.last_table, ET_TENSOR_EXTRA, extra);
  et_fb_set_i8(&writer.buffer, extra, ET_EXTRA_LOCATION, ET_DATA_EXTERNAL);
  et_fb_refer(&writer.buffer, extra, ET_EXTRA_NAME,
              et_fb_add_text(&writer.buffer, key));
  const int32_t y = et_writer_floats(&writer, count, 32);
  et_writer_output(&writer, y);
  et_writer_call(&writer, "copy", (int32_t[]){x, y, y}, 3);
  const et_span file = et_writer_finish(&writer);
  extents[0] = (et_extent){0, file};
}

static et_status refuse_read(void *context, uint64_t offset, size_t size,
                             void *out, et_error *reason) {
  (void)context;
  (void)offset;
  (void)size;
  (void)out;
  (void)reason;
  return ET_STATUS_ACCESS_FAILED;
}

/* Loads the program with the data file, of which the last bytes may be outside
 * of memory. */
static et_status load_program(size_t outside) {
  et_error_clear(&error);
  for (size_t i = 0; i < 2; i++) {
    const et_data_source source = {i == 0 ? "program" : "data",
                                   extents[i].bytes.size,
                                   &extents[i],
                                   1,
                                   outside != 0 ? refuse_read : NULL,
                                   NULL};
    sources[i] = source;
  }
  extents[1].bytes.size -= outside;
  return et_program_load_sources(sources, 2, &program, &error);
}

static void must_load(void) {
  if (load_program(0) != ET_STATUS_OK ||
      et_hosted_method_load(&program, "forward", &et_test_registry, NULL,
                            &hosted, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

static void expect_first_output(float expected) {
  assert_int_equal(et_method_execute(hosted.method, &error), ET_STATUS_OK);
  assert_true(et_test_first_output(hosted.method, 0) == expected);
  et_hosted_method_free(&hosted);
}

static void test_keys_may_have_one_letter(void **state) {
  (void)state;
  write_data("w", 4, 0);
  write_program("w", 4, ET_NOT_PLANNED);
  must_load();
  expect_first_output(1);
}

static void test_initial_state_may_be_unaligned(void **state) {
  (void)state;
  write_data("state", 4, 2);
  write_program("state", 4, 0);
  must_load();
  expect_first_output(1);
}

static void test_empty_constant_may_be_unaligned(void **state) {
  (void)state;
  write_data("empty", 0, 2);
  write_program("empty", 0, ET_NOT_PLANNED);
  must_load();
  assert_int_equal(et_method_execute(hosted.method, &error), ET_STATUS_OK);
  et_hosted_method_free(&hosted);
}

/* Returns the bytes that a method with an external tensor of four floats reads,
 * if the data file's segments are outside of memory. */
static size_t bytes_to_read(const char *key, int32_t count) {
  size_t read_bytes = 1;
  write_data(key, count, 0);
  write_program("w", 4, ET_NOT_PLANNED);
  assert_int_equal(load_program(MAX_BYTES), ET_STATUS_OK);
  assert_int_equal(
      et_method_data_bytes(&program, "forward", &read_bytes, &error),
      ET_STATUS_OK);
  return read_bytes;
}

static void test_only_tensors_that_match_are_read(void **state) {
  (void)state;
  assert_true(bytes_to_read("w", 4) >= 16);
  assert_int_equal(bytes_to_read("w", 3), 0);
  assert_int_equal(bytes_to_read("v", 4), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys_may_have_one_letter),
      cmocka_unit_test(test_initial_state_may_be_unaligned),
      cmocka_unit_test(test_empty_constant_may_be_unaligned),
      cmocka_unit_test(test_only_tensors_that_match_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
