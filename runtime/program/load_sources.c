#include "runtime/core/error.h"
#include "runtime/program/external.h"
#include "runtime/program/reading.h"
#include "runtime/program/source.h"

static et_status check_sources(const et_data_source *sources, size_t count,
                               et_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (sources[i].name == NULL) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "sources[%zu].name is NULL; name the source", i);
    }
  }
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(et_source_check(&sources[i], error));
  }
  return count != 0
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "count is 0; pass the program as the first source");
}

et_status et_program_load_sources(const et_data_source *sources, size_t count,
                                  et_program *out_program, et_error *error) {
  et_program program;
  et_error_clear(error);
  ET_RETURN_IF_ERROR(check_sources(sources, count, error));
  ET_RETURN_IF_ERROR(et_load_program(&sources[0], &program, error));
  if (count > 1 || program.file.size != sources[0].size) {
    program.sources = sources;
    program.source_count = count;
    program.reading = &et_reading;
  }
  if (count > 1) {
    program.external = &et_external_files;
    ET_RETURN_IF_ERROR(et_source_check_bases(&program, error));
    ET_RETURN_IF_ERROR(
        et_advise_load(error, program.external->verify(&program, error)));
  }
  *out_program = program;
  return ET_STATUS_OK;
}
