/* Tests memory-mapped files and methods on the heap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static void test_mapped_file_opens_as_a_program(void **state) {
  (void)state;
  et_file file = {{NULL, 0}};
  et_program program;
  assert_int_equal(
      et_file_open("tests/fixtures/tut02_basic_add.pte", &file, NULL),
      ET_STATUS_OK);
  assert_int_equal(file.bytes.size, 1072);
  assert_int_equal(et_program_load(file.bytes, &program, NULL), ET_STATUS_OK);
  et_file_close(&file);
  et_file_close(&file); /* does nothing */
  assert_null(file.bytes.data);
}

#if !defined(_WIN32)
static void test_files_open_without_standard_input(void **state) {
  (void)state;
  et_file file = {{NULL, 0}};
  const int input = dup(0);
  close(0); /* the next file has descriptor 0 */
  const et_status status =
      et_file_open("tests/fixtures/tut02_basic_add.pte", &file, NULL);
  dup2(input, 0);
  close(input);
  assert_int_equal(status, ET_STATUS_OK);
  et_file_close(&file);
}
#endif

static void test_unreadable_files_are_named(void **state) {
  (void)state;
  const char *const paths[] = {"no/such/file.pte", "tests/fixtures"};
#if defined(_WIN32)
  const char *const reasons[] = {": cannot be read (Windows error 3)",
                                 ": cannot be read (Windows error 5)"};
#else
  const char *const reasons[] = {": No such file", ": not a regular file"};
#endif
  for (size_t i = 0; i < 2; i++) {
    et_file file = {{NULL, 0}};
    et_error error;
    et_error_clear(&error);
    assert_int_equal(et_file_open(paths[i], &file, &error),
                     ET_STATUS_ACCESS_FAILED);
    assert_non_null(strstr(error.message, paths[i]));
    assert_non_null(strstr(error.message, reasons[i]));
    assert_non_null(
        strstr(error.message, "; pass the path of a .pte or .ptd file"));
    assert_null(file.bytes.data);
  }
}

static void test_short_files_are_named(void **state) {
  (void)state;
  for (size_t size = 0; size <= ET_FILE_MIN_BYTES; size++) {
    char path[4096];
    char expected[4200];
    et_file file = {{NULL, 0}};
    et_error error;
    snprintf(path, sizeof path, "%s/short.pte", getenv("TEST_TMPDIR"));
    snprintf(expected, sizeof expected,
             "%s: a file of %zu bytes is too short; pass the path of a .pte or "
             ".ptd file",
             path, size);
    FILE *created = fopen(path, "wb");
    assert_non_null(created);
    assert_int_equal(fwrite("12345678", 1, size, created), size);
    assert_int_equal(fclose(created), 0);
    const et_status status = et_file_open(path, &file, &error);
    if (size == ET_FILE_MIN_BYTES) {
      assert_int_equal(status, ET_STATUS_OK);
      et_file_close(&file);
    } else {
      assert_int_equal(status, ET_STATUS_ACCESS_FAILED);
      expected[ET_ERROR_MESSAGE_BYTES - 1] = '\0';
      assert_string_equal(error.message, expected);
    }
  }
}

/* A path with letters of several alphabets, in UTF-8. */
#define FOREIGN_NAME "mod\xc3\xa8le \xe6\xa8\xa1.pte"

static FILE *create_foreign_file(const char *folder) {
#if defined(_WIN32)
  wchar_t path[4096];
  swprintf(path, 4096, L"%hs/mod\u00e8le \u6a21.pte", folder);
  return _wfopen(path, L"wb");
#else
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, FOREIGN_NAME);
  return fopen(path, "wb");
#endif
}

static void test_paths_are_utf8(void **state) {
  (void)state;
  const char *folder = getenv("TEST_TMPDIR");
  char path[4096];
  et_file file = {{NULL, 0}};
  FILE *created = create_foreign_file(folder);
  assert_non_null(created);
  assert_int_equal(fwrite("nine words", 1, 10, created), 10);
  assert_int_equal(fclose(created), 0);
  snprintf(path, sizeof path, "%s/%s", folder, FOREIGN_NAME);
  assert_int_equal(et_file_open(path, &file, NULL), ET_STATUS_OK);
  assert_int_equal(file.bytes.size, 10);
  assert_memory_equal(file.bytes.data, "nine words", 10);
  et_file_close(&file);
}

/* out = state + in; state = out. */
static void write_sum(int32_t in_offset, int32_t out_offset) {
  et_writer_start(&writer, 96);
  const int32_t in = et_writer_floats(&writer, 4, in_offset);
  const int32_t state = et_writer_floats(&writer, 4, 16);
  const int32_t out = et_writer_floats(&writer, 4, out_offset);
  const int32_t add[4] = {state, in, out, out};
  const int32_t copy[3] = {out, state, state};
  et_writer_input(&writer, in);
  et_writer_output(&writer, out);
  et_writer_call(&writer, "add", add, 4);
  et_writer_call(&writer, "copy", copy, 3);
}

static float run_hosted(et_hosted_method *hosted) {
  const float ones[4] = {1, 1, 1, 1};
  et_test_set_floats(hosted->method, 0, ones, 4);
  assert_int_equal(et_method_execute(hosted->method, NULL), ET_STATUS_OK);
  return et_test_first_output(hosted->method, 0);
}

static void test_unplanned_outputs_are_allocated(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  write_sum(ET_NOT_PLANNED, ET_NOT_PLANNED);
  et_test_open(&writer, &program, &hosted);
  assert_true(run_hosted(&hosted) == 1);
  assert_true(run_hosted(&hosted) == 2);
  et_hosted_method_free(&hosted);
  et_hosted_method_free(&hosted); /* does nothing */
}

static void load_sharing(const et_program *program,
                         const et_hosted_method *owner,
                         et_hosted_method *out_hosted) {
  assert_int_equal(
      et_hosted_method_load_sharing(program, "forward", &et_test_registry, NULL,
                                    owner, 1, out_hosted, NULL),
      ET_STATUS_OK);
}

static void test_shared_buffer_is_visible_to_both_methods(void **state) {
  (void)state;
  et_program program;
  et_hosted_method first;
  et_hosted_method second;
  write_sum(0, 32);
  et_test_open(&writer, &program, &first);
  load_sharing(&program, &first, &second);
  assert_true(run_hosted(&first) == 1);
  assert_true(run_hosted(&second) == 2);
  assert_true(run_hosted(&first) == 3);
  et_hosted_method_free(&second);
  et_hosted_method_free(&first);
}

static void test_second_method_shares_existing_state(void **state) {
  (void)state;
  et_program program;
  et_hosted_method first;
  et_hosted_method second;
  write_sum(0, 32);
  et_test_open(&writer, &program, &first);
  assert_true(run_hosted(&first) == 1);
  load_sharing(&program, &first, &second);
  assert_true(run_hosted(&second) == 2);
  et_method_reset_state(second.method);
  assert_true(run_hosted(&first) == 1);
  et_hosted_method_free(&second);
  et_hosted_method_free(&first);
}

static void test_shared_buffer_must_be_large_enough(void **state) {
  (void)state;
  et_program program;
  et_hosted_method first;
  et_hosted_method second;
  write_sum(0, 32);
  et_test_open(&writer, &program, &first);
  first.planned[0].bytes.size = 95;
  assert_int_equal(
      et_hosted_method_load_sharing(&program, "forward", &et_test_registry,
                                    NULL, &first, 1, &second, NULL),
      ET_STATUS_INVALID_ARGUMENT);
  assert_null(second.method);
  et_hosted_method_free(&first);
}

static void test_refused_method_releases_its_memory(void **state) {
  (void)state;
  et_program program;
  et_hosted_method hosted;
  write_sum(0, 32);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_hosted_method_load(&program, "other", &et_test_registry,
                                         NULL, &hosted, NULL),
                   ET_STATUS_NOT_FOUND);
  assert_null(hosted.allocation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mapped_file_opens_as_a_program),
#if !defined(_WIN32)
      cmocka_unit_test(test_files_open_without_standard_input),
#endif
      cmocka_unit_test(test_unreadable_files_are_named),
      cmocka_unit_test(test_short_files_are_named),
      cmocka_unit_test(test_paths_are_utf8),
      cmocka_unit_test(test_unplanned_outputs_are_allocated),
      cmocka_unit_test(test_shared_buffer_is_visible_to_both_methods),
      cmocka_unit_test(test_second_method_shares_existing_state),
      cmocka_unit_test(test_shared_buffer_must_be_large_enough),
      cmocka_unit_test(test_refused_method_releases_its_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
