/* Tests constants in .ptd files: look-up by name, checks, use in place, and
 * reading. Damaged, missing or unrelated files must be rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/testing/program_test_support.h"

static et_status do_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

/* The kernels of ptd_mlp, and the backend of ptd_mlp_xnn. */
static const et_kernel rows[] = {
    {"aten::addmm.out", "tttnnw>w", NULL, do_nothing, NULL, 0},
    {"aten::permute_copy.out", "tIw>w", NULL, do_nothing, NULL, 0},
    {"aten::relu.out", "tw>w", NULL, do_nothing, NULL, 0},
};
static const et_kernel_table table = {rows, 3};
static const et_registry registry = {.kernels = &table};

/* Program, data and possibly other data, one source each. The tests change
 * copies of the files. */
typedef struct sample {
  uint8_t *bytes[3];
  size_t sizes[3];
  et_extent extents[3];
  et_data_source sources[3];
  et_program program;
  et_hosted_method hosted;
  size_t reads;
  et_error error;
} sample;

static void open_source(sample *s, size_t i, const char *name) {
  s->bytes[i] = et_test_read_fixture_file(name, &s->sizes[i]);
  s->extents[i].bytes.data = s->bytes[i];
  s->extents[i].bytes.size = s->sizes[i];
  const et_data_source source = {name, s->sizes[i], &s->extents[i],
                                 1,    NULL,        NULL};
  s->sources[i] = source;
}

static void open_files(sample *s, const char *program, const char *data) {
  const sample none = {.reads = 0};
  *s = none;
  open_source(s, 0, program);
  open_source(s, 1, data);
}

/* Adds a data file before or after the one that the sample has. */
static void add_file(sample *s, const char *data, bool is_first) {
  open_source(s, 2, data);
  if (is_first) {
    const et_data_source other = s->sources[2];
    s->sources[2] = s->sources[1];
    s->sources[1] = other;
  }
}

static void open_mlp(sample *s) {
  open_files(s, "ptd_mlp.pte", "mlp_weights.ptd");
}

static void close_files(sample *s) {
  et_hosted_method_free(&s->hosted);
  free(s->bytes[0]);
  free(s->bytes[1]);
  free(s->bytes[2]);
}

static et_status load_program(sample *s, size_t count) {
  et_error_clear(&s->error);
  return et_program_load_sources(s->sources, count, &s->program, &s->error);
}

static et_status load(sample *s, size_t count) {
  ET_RETURN_IF_ERROR(load_program(s, count));
  return et_hosted_method_load(&s->program, "forward", &registry, NULL,
                               &s->hosted, &s->error);
}

static void expect(sample *s, et_status status, et_status expected,
                   const char *message) {
  if (status != expected || strcmp(s->error.message, message) != 0) {
    fail_msg("%s: '%s'", et_status_name(status), s->error.message);
  }
  close_files(s);
}

/* Returns the address of the constant with `size` floats. */
static const uint8_t *constant_of(const sample *s, int32_t size) {
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

/* Returns the segments of the data, found through its header. */
static const uint8_t *segments_of(const sample *s) {
  uint64_t base = 0;
  memcpy(&base, s->bytes[1] + 32, sizeof base);
  return s->bytes[1] + base;
}

/* The segments of 0.weight, 0.bias, 2.weight and 2.bias are at 0, 0x800, 0x880
 * and 0xA80. */
static void test_external_constants_are_used_in_place(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  assert_int_equal(load(&s, 2), ET_STATUS_OK);
  const uint8_t *segments = segments_of(&s);
  assert_ptr_equal(constant_of(&s, 512), segments);
  assert_ptr_equal(constant_of(&s, 32), segments + 0x800);
  assert_ptr_equal(constant_of(&s, 128), segments + 0x880);
  assert_ptr_equal(constant_of(&s, 4), segments + 0xA80);
  assert_int_equal(s.hosted.requirements.data_bytes, 0);
  close_files(&s);
}

static void test_external_constants_are_found_in_any_file(void **state) {
  (void)state;
  for (int is_first = 0; is_first < 2; is_first++) {
    sample s;
    open_mlp(&s);
    add_file(&s, "xnn_weights.ptd", is_first != 0);
    assert_int_equal(load(&s, 3), ET_STATUS_OK);
    assert_ptr_equal(constant_of(&s, 512), segments_of(&s));
    close_files(&s);
  }
}

static et_status read_data(void *context, uint64_t offset, size_t size,
                           void *out, et_error *error) {
  sample *s = context;
  (void)error;
  assert_true(offset <= s->sizes[1] && size <= s->sizes[1] - offset);
  s->reads++;
  memcpy(out, s->bytes[1] + offset, size);
  return ET_STATUS_OK;
}

/* Keeps only the data file's tables in memory. */
static void read_segments(sample *s) {
  s->extents[1].bytes.size = (size_t)(segments_of(s) - s->bytes[1]);
  s->sources[1].read = read_data;
  s->sources[1].context = s;
}

static void test_constants_outside_memory_are_read(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  read_segments(&s);
  assert_int_equal(load(&s, 2), ET_STATUS_OK);
  assert_true(s.reads != 0 && s.hosted.requirements.data_bytes >= 0xA90);
  assert_memory_equal(constant_of(&s, 512), segments_of(&s), 2048);
  assert_memory_equal(constant_of(&s, 4), segments_of(&s) + 0xA80, 16);
  close_files(&s);
}

/* The program is also read on demand, so that pieces of both sources are
 * concatenated. */
static void test_program_and_data_file_may_be_split(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  const size_t cut = 0xA80 + (size_t)(segments_of(&s) - s.bytes[1]);
  const et_extent parts[] = {{0, {s.bytes[1], cut}},
                             {cut, {s.bytes[1] + cut, s.sizes[1] - cut}}};
  s.sources[1].extents = parts;
  s.sources[1].extent_count = 2;
  assert_int_equal(load(&s, 2), ET_STATUS_OK);
  assert_ptr_equal(constant_of(&s, 512), segments_of(&s));
  assert_ptr_equal(constant_of(&s, 4), s.bytes[1] + cut);
  close_files(&s);
}

static void test_missing_data_file_is_named_by_its_key(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  const et_status status = load(&s, 1);
  expect(&s, status, ET_STATUS_NOT_FOUND,
         "values[0]: none of the 0 external files (.ptd) has the key "
         "'0.weight'; pass its file to et_program_load_sources");
}

static void test_data_file_without_the_key_is_refused(void **state) {
  (void)state;
  sample s;
  open_files(&s, "ptd_mlp.pte", "xnn_weights.ptd");
  const et_status status = load(&s, 2);
  expect(&s, status, ET_STATUS_NOT_FOUND,
         "values[0]: none of the 1 external files (.ptd) has the key "
         "'0.weight'; pass its file to et_program_load_sources");
}

static void test_key_in_two_data_files_is_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  s.sources[2] = s.sources[1];
  s.sources[2].name = "copy.ptd";
  const et_status status = load(&s, 3);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'copy.ptd': key '0.weight' is also in source "
         "'mlp_weights.ptd'; pass only one of them");
}

static void test_any_key_in_two_data_files_is_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  uint8_t *copy = malloc(s.sizes[1]);
  assert_non_null(copy);
  memcpy(copy, s.bytes[1], s.sizes[1]);
  assert_memory_equal(copy + 0x174, "0.weight", 8);
  copy[0x174] = '9';
  const et_extent extent = {0, {copy, s.sizes[1]}};
  s.sources[2] = s.sources[1];
  s.sources[2].name = "copy.ptd";
  s.sources[2].extents = &extent;
  const et_status status = load(&s, 3);
  free(copy);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'copy.ptd': key '0.bias' is also in source "
         "'mlp_weights.ptd'; pass only one of them");
}

static void test_key_in_program_and_data_file_is_refused(void **state) {
  (void)state;
  sample s;
  open_files(&s, "mlp_xnn_seg_default.pte", "xnn_weights.ptd");
  const et_status status = load_program(&s, 2);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'xnn_weights.ptd': key "
         "'9eed8098f924a1e1efe5fd1dfba5ab56b5a8fa3bfbe4bb50eef0b5520f2a05a0' "
         "is also in the program" ET_TEST_EXPORT_AGAIN);
}

/* Changes one byte of the data, which must be `from` in the fixture. */
static et_status load_changed(sample *s, size_t at, uint8_t from, uint8_t to) {
  open_mlp(s);
  assert_int_equal(s->bytes[1][at], from);
  s->bytes[1][at] = to;
  return load(s, 2);
}

static void test_mismatched_dtype_is_refused(void **state) {
  (void)state;
  sample s;
  const et_status status = load_changed(&s, 0x153, 6, 3);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "values[0]: '0.weight' of source 'mlp_weights.ptd' differs from the "
         "program's tensor in dtype" ET_TEST_EXPORT_AGAIN);
}

static void test_external_tensor_of_unknown_dtype_is_refused(void **state) {
  (void)state;
  sample s;
  et_status status = load_changed(&s, 0x153, 6, 30);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': named_data[0]: scalar_type 30 is "
         "unknown" ET_TEST_EXPORT_AGAIN);
  status = load_changed(&s, 0x153, 6, 0xFF);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': named_data[0]: scalar_type -1 is "
         "unknown" ET_TEST_EXPORT_AGAIN);
}

static void test_mismatched_dim_order_is_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  const size_t at = 0x160;
  assert_memory_equal(s.bytes[1] + at, "\x00\x01", 2);
  memcpy(s.bytes[1] + at, "\x01\x00", 2);
  const et_status status = load(&s, 2);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "values[0]: '0.weight' of source 'mlp_weights.ptd' differs from the "
         "program's tensor in dim order" ET_TEST_EXPORT_AGAIN);
}

static void test_mismatched_sizes_are_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  const uint32_t sizes[3] = {32, 16, 32};
  assert_memory_equal(s.bytes[1] + 0x168, sizes, 8);
  memcpy(s.bytes[1] + 0x168, sizes + 1, 8);
  const et_status status = load(&s, 2);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "values[0]: '0.weight' of source 'mlp_weights.ptd' differs from the "
         "program's tensor in sizes" ET_TEST_EXPORT_AGAIN);
}

static void test_external_tensor_of_another_size_is_refused(void **state) {
  (void)state;
  sample s;
  const et_status status = load_changed(&s, 0x90, 4, 3);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': named_data[3]: the layout needs 12 bytes, "
         "but the segment has 16" ET_TEST_EXPORT_AGAIN);
}

/* Moves the segments by one byte. */
static void test_unaligned_external_constant_is_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
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
  const et_status status = load(&s, 2);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "values[0]: '0.weight' of source 'mlp_weights.ptd' is not "
         "aligned" ET_TEST_EXPORT_AGAIN);
}

static void test_first_external_tensor_is_checked(void **state) {
  (void)state;
  sample s;
  const et_status status = load_changed(&s, 0x168, 32, 31);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': named_data[0]: the layout needs 1984 "
         "bytes, but the segment has 2048" ET_TEST_EXPORT_AGAIN);
}

static void test_data_file_with_another_identifier_is_refused(void **state) {
  (void)state;
  sample s;
  et_status status = load_changed(&s, 4, 'F', 'X');
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': bytes 58 54 30 31 are not the identifier "
         "'FT01'; pass a data file (.ptd)");
  status = load_changed(&s, 8, 'F', 'X');
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': the header 'FH01' is "
         "missing" ET_TEST_EXPORT_AGAIN);
  status = load_changed(&s, 12, 40, 39);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': header: length 39 is less than "
         "40" ET_TEST_EXPORT_AGAIN);
}

static void test_data_file_header_beyond_the_file_is_refused(void **state) {
  (void)state;
  sample s;
  et_status status = load_changed(&s, 31, 0, 0x80);
  expect(&s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
         "source 'mlp_weights.ptd': header: 9223372036854776264 bytes of "
         "tables at 48 overlap the header or exceed the file of 3216 "
         "bytes" ET_TEST_EXPORT_AGAIN);
  status = load_changed(&s, 33, 2, 0);
  expect(
      &s, status, ET_STATUS_INVALID_EXTERNAL_DATA,
      "source 'mlp_weights.ptd': header: 2704 bytes of segments at 0 overlap "
      "the tables or exceed the file of 3216 bytes" ET_TEST_EXPORT_AGAIN);
}

static void test_data_file_tables_must_be_in_the_first_extent(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  read_segments(&s);
  s.extents[1].bytes.size = 256;
  const et_status status = load(&s, 2);
  expect(&s, status, ET_STATUS_INVALID_ARGUMENT,
         "source 'mlp_weights.ptd': the first extent must start at 0 and hold "
         "the 504 bytes of tables, but holds 256");
}

static void test_unaddressable_sources_are_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  s.sources[1].size = UINT64_MAX;
  s.sources[1].read = read_data;
  const et_status status = load(&s, 2);
  expect(&s, status, ET_STATUS_INVALID_ARGUMENT,
         "source 'mlp_weights.ptd': 18446744073709551615 bytes exceed the "
         "address space; correct its size");
}

/* The backend of ptd_mlp_xnn, which requests one key. */
static et_string asked;
static et_span answer;

static et_status measure_one(const et_backend_context *context,
                             et_backend_requirements *out) {
  out->output_count = 1;
  return context->find_data(context, asked, &answer, context->error);
}

static et_status init_one(const et_backend_context *context,
                          void **out_handle) {
  (void)context;
  (void)out_handle;
  return ET_STATUS_OK;
}

static et_status execute_one(void *handle, const et_execute_context *context,
                             et_value **args, size_t count) {
  (void)handle;
  (void)context;
  (void)args;
  (void)count;
  return ET_STATUS_OK;
}

static const et_backend backend = {"XnnpackBackend", measure_one, init_one,
                                   execute_one, NULL};
static const et_backend *const backends[] = {&backend};
static const et_registry with_backend = {.kernels = &table,
                                         .backends = backends,
                                         .backend_count = 1,
                                         .delegation = &et_delegation};

static et_status load_delegate(sample *s, size_t count) {
  ET_RETURN_IF_ERROR(load_program(s, count));
  return et_hosted_method_load(&s->program, "forward", &with_backend, NULL,
                               &s->hosted, &s->error);
}

/* Returns one of the four keys of xnn_weights.ptd. */
static et_string key_of(const sample *s, size_t index) {
  static const size_t offsets[4] = {0x78, 0xCC, 0x128, 0x17C};
  const et_string key = {(const char *)s->bytes[1] + offsets[index], 64};
  return key;
}

static void test_delegates_find_external_data(void **state) {
  (void)state;
  for (int reads = 0; reads < 2; reads++) {
    sample s;
    open_files(&s, "ptd_mlp_xnn.pte", "xnn_weights.ptd");
    asked = key_of(&s, 0);
    if (reads != 0) {
      read_segments(&s);
    }
    if (load_delegate(&s, 2) != ET_STATUS_OK) {
      fail_msg("%s", s.error.message);
    }
    assert_true(answer.size != 0);
    close_files(&s);
  }
}

static bool is_in_file(const sample *s, et_span part) {
  for (size_t at = 0; at + part.size <= s->sizes[1]; at++) {
    if (memcmp(s->bytes[1] + at, part.data, part.size) == 0) {
      return true;
    }
  }
  return false;
}

/* The other file has tensors, which delegates do not request. */
static void test_delegates_read_data_of_any_file(void **state) {
  (void)state;
  for (size_t i = 0; i < 8; i++) {
    sample s;
    open_files(&s, "ptd_mlp_xnn.pte", "xnn_weights.ptd");
    asked = key_of(&s, i / 2);
    read_segments(&s);
    add_file(&s, "mlp_weights.ptd", i % 2 != 0);
    if (load_delegate(&s, 3) != ET_STATUS_OK) {
      fail_msg("%s", s.error.message);
    }
    assert_true(s.reads != 0 && answer.size != 0 && is_in_file(&s, answer));
    close_files(&s);
  }
}

static void test_delegates_do_not_find_tensors_or_unknown_keys(void **state) {
  (void)state;
  static const et_string keys[] = {{"0.weight", 8}, {"1.weight", 8}};
  for (size_t i = 0; i < 2; i++) {
    sample s;
    open_files(&s, "ptd_mlp_xnn.pte", "mlp_weights.ptd");
    asked = keys[i];
    assert_int_equal(load_delegate(&s, 2), ET_STATUS_NOT_FOUND);
    close_files(&s);
  }
}

/* Loads arbitrary data. If loading fails, there must be a message. */
static void try_data(sample *s) {
  const et_status status = load(s, 2);
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
  sample s;
  open_mlp(&s);
  for (size_t at = 0; at < s.sizes[1]; at++) {
    for (size_t i = 0; i < sizeof changes; i++) {
      s.bytes[1][at] ^= changes[i];
      try_data(&s);
      s.bytes[1][at] ^= changes[i];
    }
  }
  close_files(&s);
}

static void test_data_file_with_any_word_replaced_is_survived(void **state) {
  (void)state;
  static const uint32_t words[] = {0xFFFFFFFFu, 0x7FFFFFFFu, 0x80000000u, 0};
  sample s;
  open_mlp(&s);
  for (size_t at = 0; at + 4 <= s.sizes[1]; at += 4) {
    uint32_t old = 0;
    memcpy(&old, s.bytes[1] + at, sizeof old);
    for (size_t i = 0; i < 4; i++) {
      memcpy(s.bytes[1] + at, &words[i], sizeof old);
      try_data(&s);
    }
    memcpy(s.bytes[1] + at, &old, sizeof old);
  }
  close_files(&s);
}

/* Each length uses its own allocation, so that sanitizers detect overruns. */
static void test_truncated_data_file_is_refused(void **state) {
  (void)state;
  sample s;
  open_mlp(&s);
  for (size_t cut = 1; cut < s.sizes[1]; cut++) {
    uint8_t *copy = aligned_alloc(16, (cut + 15) / 16 * 16);
    memcpy(copy, s.bytes[1], cut);
    s.extents[1].bytes.data = copy;
    s.extents[1].bytes.size = cut;
    s.sources[1].size = cut;
    assert_int_not_equal(load(&s, 2), ET_STATUS_OK);
    free(copy);
  }
  close_files(&s);
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
      cmocka_unit_test(test_mismatched_dtype_is_refused),
      cmocka_unit_test(test_external_tensor_of_unknown_dtype_is_refused),
      cmocka_unit_test(test_mismatched_dim_order_is_refused),
      cmocka_unit_test(test_mismatched_sizes_are_refused),
      cmocka_unit_test(test_external_tensor_of_another_size_is_refused),
      cmocka_unit_test(test_unaligned_external_constant_is_refused),
      cmocka_unit_test(test_first_external_tensor_is_checked),
      cmocka_unit_test(test_data_file_with_another_identifier_is_refused),
      cmocka_unit_test(test_data_file_header_beyond_the_file_is_refused),
      cmocka_unit_test(test_data_file_tables_must_be_in_the_first_extent),
      cmocka_unit_test(test_unaddressable_sources_are_refused),
      cmocka_unit_test(test_delegates_find_external_data),
      cmocka_unit_test(test_delegates_read_data_of_any_file),
      cmocka_unit_test(test_delegates_do_not_find_tensors_or_unknown_keys),
      cmocka_unit_test(test_data_file_with_any_byte_changed_is_survived),
      cmocka_unit_test(test_data_file_with_any_word_replaced_is_survived),
      cmocka_unit_test(test_truncated_data_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
