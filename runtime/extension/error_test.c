/* Tests that every public function clears its et_error first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;
static et_error error;

/* Returns an error with the result of an earlier call. */
static et_error *old_error(void) {
  error.status = ET_STATUS_INTERNAL;
  strcpy(error.message, "old");
  return &error;
}

static void expect(et_status status, et_status expected) {
  assert_int_equal(status, expected);
  assert_int_equal(error.status, expected);
  assert_string_not_equal(error.message, "old");
  assert_int_equal(error.message[0] == '\0', expected == ET_STATUS_OK);
}

static void ignore_begin(void *context, const et_event *event) {
  (void)context, (void)event;
}

static void ignore_end(void *context, const et_event *event, et_status status) {
  (void)context, (void)event, (void)status;
}

static void test_opening_clears_the_error(void **state) {
  (void)state;
  const et_observer observer = ET_OBSERVER(NULL, ignore_begin, ignore_end);
  et_program program;
  et_file file;
  et_method_meta meta;
  et_value_meta value;
  size_t bytes = 0;
  et_test_write_add(&writer, 0, 32);
  const et_span whole = et_writer_finish(&writer);
  const et_span none = {NULL, 0};
  const et_extent extent = {0, whole};
  const et_data_source source = {"net", whole.size, &extent, 1, NULL, NULL};
  const et_data_source empty = {"net", 0, NULL, 0, NULL, NULL};
  const char *path = "tests/fixtures/tut02_basic_add.pte";
  expect(et_file_open("nowhere", &file, old_error()), ET_STATUS_ACCESS_FAILED);
  expect(et_file_open(path, &file, old_error()), ET_STATUS_OK);
  et_file_close(&file);
  expect(et_program_load(none, &program, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_program_load_observed(&empty, 1, &observer, &program, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_program_load_observed(&source, 1, &observer, &program, old_error()),
         ET_STATUS_OK);
  expect(et_program_load_sources(&empty, 1, &program, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_program_load_sources(&source, 1, &program, old_error()),
         ET_STATUS_OK);
  expect(et_program_load(whole, &program, old_error()), ET_STATUS_OK);
  expect(et_program_check_contents(&program, old_error()), ET_STATUS_OK);
  expect(et_program_method_meta(&program, "no", &meta, old_error()),
         ET_STATUS_NOT_FOUND);
  expect(et_program_method_meta(&program, "forward", &meta, old_error()),
         ET_STATUS_OK);
  expect(et_method_meta_input(&meta, 2, &value, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_method_meta_input(&meta, 1, &value, old_error()), ET_STATUS_OK);
  expect(et_method_meta_output(&meta, 1, &value, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_method_meta_output(&meta, 0, &value, old_error()), ET_STATUS_OK);
  expect(et_method_meta_planned_bytes(&meta, 1, &bytes, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_method_meta_planned_bytes(&meta, 0, &bytes, old_error()),
         ET_STATUS_OK);
}

static void test_loading_clears_the_error(void **state) {
  (void)state;
  const et_registry *registry = &et_test_registry;
  const et_method_memory memory = {.planned = NULL};
  et_program program;
  et_hosted_method hosted;
  et_hosted_method sharing;
  et_method_requirements needed;
  et_method *method = NULL;
  size_t bytes = 0;
  et_test_write_add(&writer, 0, 32);
  et_program_load(et_writer_finish(&writer), &program, NULL);
  expect(et_method_data_bytes(&program, "no", &bytes, old_error()),
         ET_STATUS_NOT_FOUND);
  expect(et_method_data_bytes(&program, "forward", &bytes, old_error()),
         ET_STATUS_OK);
  expect(
      et_method_measure(&program, "no", registry, NULL, &needed, old_error()),
      ET_STATUS_NOT_FOUND);
  expect(et_method_measure(&program, "forward", registry, NULL, &needed,
                           old_error()),
         ET_STATUS_OK);
  expect(et_method_load(&program, "forward", registry, NULL, &memory, &method,
                        old_error()),
         ET_STATUS_MEMORY_TOO_SMALL);
  expect(et_hosted_method_load(&program, "no", registry, NULL, &hosted,
                               old_error()),
         ET_STATUS_NOT_FOUND);
  expect(et_hosted_method_load(&program, "forward", registry, NULL, &hosted,
                               old_error()),
         ET_STATUS_OK);
  const uint32_t ids[3] = {0, 2, UINT32_MAX};
  for (size_t i = 0; i < 3; i++) {
    expect(
        et_hosted_method_load_sharing(&program, "forward", registry, NULL,
                                      &hosted, ids[i], &sharing, old_error()),
        ET_STATUS_INVALID_ARGUMENT);
  }
  expect(et_hosted_method_load_sharing(&program, "forward", registry, NULL,
                                       &hosted, 1, &sharing, old_error()),
         ET_STATUS_OK);
  et_hosted_method_free(&sharing);
  et_hosted_method_free(&hosted);
}

static void test_running_clears_the_error(void **state) {
  (void)state;
  const float ones[4] = {1, 1, 1, 1};
  const int32_t four = 4;
  const et_value none = {ET_VALUE_NONE, {.as_int = 0}};
  const et_value *out = NULL;
  et_program program;
  et_hosted_method hosted;
  et_test_write_add(&writer, 0, 32);
  et_writer_input(&writer, et_writer_none(&writer));
  et_test_open(&writer, &program, &hosted);
  et_method *m = hosted.method;
  expect(et_method_execute(m, old_error()), ET_STATUS_INVALID_STATE);
  for (size_t i = 0; i < 2; i++) {
    expect(et_method_set_input(m, i, ET_SCALAR_TYPE_INT8, &four, 1, ones, 16,
                               old_error()),
           ET_STATUS_INVALID_ARGUMENT);
    expect(et_method_set_input(m, i, ET_SCALAR_TYPE_FLOAT32, &four, 1, ones, 16,
                               old_error()),
           ET_STATUS_OK);
  }
  expect(et_method_set_scalar_input(m, 0, &none, old_error()),
         ET_STATUS_INVALID_ARGUMENT);
  expect(et_method_set_scalar_input(m, 2, &none, old_error()), ET_STATUS_OK);
  expect(et_method_set_output(m, 0, NULL, 0, old_error()),
         ET_STATUS_INVALID_STATE);
  expect(et_method_get_output(m, 0, &out, old_error()),
         ET_STATUS_INVALID_STATE);
  expect(et_method_execute(m, old_error()), ET_STATUS_OK);
  expect(et_method_get_output(m, 0, &out, old_error()), ET_STATUS_OK);
  et_hosted_method_free(&hosted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_opening_clears_the_error),
      cmocka_unit_test(test_loading_clears_the_error),
      cmocka_unit_test(test_running_clears_the_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
