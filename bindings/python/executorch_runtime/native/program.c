#include "bindings/python/executorch_runtime/native/program.h"

#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "runtime/core/error.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

struct et_python_program {
  et_program program;
  et_recorder recorder;
  size_t file_count;
  et_file files[ET_PYTHON_MAX_FILES];
  et_extent extents[ET_PYTHON_MAX_FILES];
  et_data_source sources[ET_PYTHON_MAX_FILES];
  char *names[ET_PYTHON_MAX_FILES];
};

static char *copied(const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static et_status open_file(et_python_program *program, const char *path,
                           et_error *error) {
  const size_t at = program->file_count;
  ET_RETURN_IF_ERROR(et_file_open(path, &program->files[at], error));
  program->names[at] = copied(path);
  program->file_count++;
  if (program->names[at] == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "out of memory for a path");
  }
  program->extents[at].bytes = program->files[at].bytes;
  const et_data_source source = {program->names[at],
                                 program->files[at].bytes.size,
                                 &program->extents[at],
                                 1,
                                 NULL,
                                 NULL};
  program->sources[at] = source;
  return ET_STATUS_OK;
}

/* Adds the program's path to a message that does not name a file yet. */
static et_status name_program(const char *path, et_status status,
                              et_error *error) {
  const char place[] = "source '";
  return strncmp(error->message, place, strlen(place)) == 0
             ? status
             : et_fail_within(error, status, "%s: ", path);
}

static et_status open_files(et_python_program *program,
                            const char *const *paths, size_t count,
                            et_error *error) {
  if (count == 0 || count > ET_PYTHON_MAX_FILES) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "got %zu files, expected 1 to %d", count,
                   ET_PYTHON_MAX_FILES);
  }
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(open_file(program, paths[i], error));
  }
  const et_observer observer = et_recorder_observer(&program->recorder);
  const et_status status = et_program_load_observed(
      program->sources, count, &observer, &program->program, error);
  if (status != ET_STATUS_OK) {
    return name_program(paths[0], status, error);
  }
  return et_program_check_contents(&program->program, error);
}

et_status et_python_program_open(const char *const *paths, size_t count,
                                 const et_clock *clock,
                                 et_python_program **out_program,
                                 et_error *error) {
  et_python_program *program = calloc(1, sizeof *program);
  if (program == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL, "'%s': out of memory",
                   paths[0]);
  }
  et_recorder_init(&program->recorder,
                   clock != NULL ? *clock : et_monotonic_clock);
  const et_status status = open_files(program, paths, count, error);
  if (status != ET_STATUS_OK) {
    et_python_program_close(program);
    return status;
  }
  *out_program = program;
  return ET_STATUS_OK;
}

void et_python_program_close(et_python_program *program) {
  for (size_t i = 0; i < program->file_count; i++) {
    et_file_close(&program->files[i]);
    free(program->names[i]);
  }
  et_recorder_free(&program->recorder);
  free(program);
}

const et_program *et_python_program_view(const et_python_program *program) {
  return &program->program;
}

const et_recorder *et_python_program_events(const et_python_program *program) {
  return &program->recorder;
}

const char *et_python_program_backend(const et_python_program *program,
                                      size_t index) {
  const et_fb_vector plans =
      et_tables_of_program(&program->program, ET_PROGRAM_EXECUTION_PLAN);
  for (uint32_t i = 0; i < et_fb_count(plans); i++) {
    const et_fb_vector delegates =
        et_tables_vector(et_fb_child_at(plans, i), ET_PLAN_DELEGATES);
    const uint32_t count = et_fb_count(delegates);
    if (index < count) {
      const et_fb_table delegate = et_fb_child_at(delegates, (uint32_t)index);
      return et_fb_text(delegate, ET_DELEGATE_ID).data;
    }
    index -= count;
  }
  return NULL;
}
