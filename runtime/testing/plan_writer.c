#include "runtime/testing/plan_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
