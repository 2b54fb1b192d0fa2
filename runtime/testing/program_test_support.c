#include "runtime/testing/program_test_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"

/* Allocates memory for a program, to release with free(). Windows has no
 * aligned_alloc; its malloc aligns to 16 bytes. */
static uint8_t *allocate_program(size_t size) {
#if defined(_WIN32)
  return malloc(size);
#else
  return aligned_alloc(64, (size + 63) / 64 * 64);
#endif
}

uint8_t *et_test_read_fixture(const char *name, size_t *out_size) {
  char file[96];
  snprintf(file, sizeof file, "%s.pte", name);
  return et_test_read_fixture_file(file, out_size);
}

uint8_t *et_test_read_fixture_file(const char *name, size_t *out_size) {
  char path[128];
  et_file file = {{NULL, 0}};
  snprintf(path, sizeof path, "tests/fixtures/%s", name);
  assert_int_equal(et_file_open(path, &file, NULL), ET_STATUS_OK);
  uint8_t *copy = allocate_program(file.bytes.size);
  assert_non_null(copy);
  memcpy(copy, file.bytes.data, file.bytes.size);
  *out_size = file.bytes.size;
  et_file_close(&file);
  return copy;
}

void et_test_write_copy(et_program_writer *writer, int32_t count) {
  et_writer_start(writer, 64);
  const int32_t in = et_writer_floats(writer, count, 0);
  const int32_t out = et_writer_floats(writer, count, 32);
  const int32_t args[3] = {in, out, out};
  et_writer_input(writer, in);
  et_writer_output(writer, out);
  et_writer_call(writer, "copy", args, 3);
}

void et_test_write_add(et_program_writer *writer, int32_t in_offset,
                       int32_t out_offset) {
  et_writer_start(writer, 64);
  const int32_t a = et_writer_floats(writer, 4, in_offset);
  const int32_t b = et_writer_floats(
      writer, 4, in_offset == ET_NOT_PLANNED ? in_offset : in_offset + 16);
  const int32_t out = et_writer_floats(writer, 4, out_offset);
  const int32_t args[4] = {a, b, out, out};
  et_writer_input(writer, a);
  et_writer_input(writer, b);
  et_writer_output(writer, out);
  et_writer_call(writer, "add", args, 4);
}

et_status et_test_load(et_span file, et_error *out_error) {
  et_program program;
  et_error_clear(out_error);
  return et_program_load(file, &program, out_error);
}

static et_status load_method(et_span file, const et_registry *registry,
                             et_error *out_error) {
  et_program program;
  et_hosted_method hosted;
  et_error_clear(out_error);
  ET_RETURN_IF_ERROR(et_program_load(file, &program, out_error));
  const et_status status = et_hosted_method_load(&program, "forward", registry,
                                                 NULL, &hosted, out_error);
  et_hosted_method_free(&hosted);
  return status;
}

et_status et_test_load_method(et_span file, et_error *out_error) {
  return load_method(file, &et_test_registry, out_error);
}

void et_test_expect_part_missing(et_span file, const et_registry *registry,
                                 const char *message) {
  et_error error;
  assert_int_equal(load_method(file, registry, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message, message);
}

static void expect(et_status found, const et_error *error, et_status status,
                   const char *part) {
  if (found != status || strstr(error->message, part) == NULL) {
    fail_msg("%s: '%s', expected %s: '...%s...'", et_status_name(found),
             error->message, et_status_name(status), part);
  }
}

void et_test_expect_refused(et_span file, et_status status, const char *part) {
  et_error error;
  expect(et_test_load(file, &error), &error, status, part);
}

void et_test_expect_method_refused(et_span file, et_status status,
                                   const char *part) {
  et_error error;
  expect(et_test_load_method(file, &error), &error, status, part);
}

void et_test_open(et_program_writer *writer, et_program *program,
                  et_hosted_method *out_method) {
  et_error error;
  et_error_clear(&error);
  et_status status = et_program_load(et_writer_finish(writer), program, &error);
  if (status == ET_STATUS_OK) {
    status = et_hosted_method_load(program, "forward", &et_test_registry, NULL,
                                   out_method, &error);
  }
  if (status != ET_STATUS_OK) {
    fail_msg("%s: %s", et_status_name(status), error.message);
  }
}

void et_test_set_floats(et_method *method, size_t index, const float *data,
                        int32_t count) {
  assert_int_equal(
      et_method_set_input(method, index, ET_SCALAR_TYPE_FLOAT32, &count, 1,
                          data, (size_t)count * sizeof *data, NULL),
      ET_STATUS_OK);
}

float et_test_first_output(const et_method *method, size_t index) {
  const et_value *value = NULL;
  assert_int_equal(et_method_get_output(method, index, &value, NULL),
                   ET_STATUS_OK);
  assert_int_equal(value->tag, ET_VALUE_TENSOR);
  return *(const float *)value->u.as_tensor->data;
}

et_program_writer et_plan_writer;

int32_t et_plan_start(void) {
  et_writer_start(&et_plan_writer, 256);
  const int32_t in = et_writer_floats(&et_plan_writer, 4, 0);
  et_writer_input(&et_plan_writer, in);
  return in;
}

int32_t et_plan_tensor(int32_t place) {
  return et_writer_floats(&et_plan_writer, 4, 16 * place);
}

void et_plan_copy(int32_t from, int32_t to) {
  const int32_t args[3] = {from, to, to};
  et_writer_call(&et_plan_writer, "copy", args, 3);
}

void et_plan_add(int32_t a, int32_t b, int32_t out) {
  const int32_t args[4] = {a, b, out, out};
  et_writer_call(&et_plan_writer, "add", args, 4);
}

void et_plan_refused(const char *part) {
  et_test_expect_method_refused(et_writer_finish(&et_plan_writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

void et_plan_accepted(void) {
  et_error error;
  if (et_test_load_method(et_writer_finish(&et_plan_writer), &error) !=
      ET_STATUS_OK) {
    fail_msg("refused: %s", error.message);
  }
}
