#include "executorch/program.h"

#include "runtime/core/error.h"
#include "runtime/program/header.h"
#include "runtime/program/schema.h"
#include "runtime/program/schema_types.h"
#include "runtime/program/source.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

static et_status check_base(et_span file, et_error *error) {
  if (file.data == NULL) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "file.data is NULL; pass the file's bytes");
  }
  if ((uintptr_t)file.data % ET_PROGRAM_ALIGNMENT != 0) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "file.data is not aligned to %d bytes; copy it to an "
                   "aligned buffer",
                   ET_PROGRAM_ALIGNMENT);
  }
  return ET_STATUS_OK;
}

static et_status read_program(const et_data_source *source,
                              et_program *out_program, et_error *error) {
  et_program program;
  ET_RETURN_IF_ERROR(et_header_parse(source, &program, error));
  ET_RETURN_IF_ERROR(et_schema_verify(program.flatbuffer, &et_program_schema,
                                      program.root, error));
  ET_RETURN_IF_ERROR(et_verify_data(&program, error));
  ET_RETURN_IF_ERROR(et_verify_plans(&program, error));
  *out_program = program;
  return ET_STATUS_OK;
}

et_status et_load_program(const et_data_source *source, et_program *out_program,
                          et_error *error) {
  return et_advise_load(error, read_program(source, out_program, error));
}

et_status et_program_load(et_span file, et_program *out_program,
                          et_error *error) {
  const et_extent whole = {0, file};
  const et_data_source source = {"program", file.size, &whole, 1, NULL, NULL};
  et_error_clear(error);
  ET_RETURN_IF_ERROR(check_base(file, error));
  return et_load_program(&source, out_program, error);
}

size_t et_program_method_count(const et_program *program) {
  return et_fb_count(et_tables_of_program(program, ET_PROGRAM_EXECUTION_PLAN));
}

et_status et_program_method_name(const et_program *program, size_t index,
                                 et_string *out_name) {
  if (index >= et_program_method_count(program)) {
    return ET_STATUS_INVALID_ARGUMENT;
  }
  const et_fb_table plan = et_tables_plan(program, (uint32_t)index);
  *out_name = et_fb_text(plan, ET_PLAN_NAME);
  return ET_STATUS_OK;
}
