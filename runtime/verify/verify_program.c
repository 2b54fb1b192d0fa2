/* verify_program: opens a program and loads its methods, like the runtime.
 *
 *   verify_program TARGET STAMP PROGRAM.pte [WEIGHTS.ptd...]
 *
 * Checks the structure of every file, the content hashes of external data,
 * and the inputs, outputs and memory of each method, and loads every method.
 * On success, writes STAMP, an empty file.
 *
 * Exit codes: 0 on success, 1 with the reason if a check fails, 2 for a
 * usage error. TARGET is used in messages.
 *
 * et_verify_registry determines which methods are loaded. A method that
 * needs another kernel or backend is skipped, because its requirements are
 * not known. */
#include <stdio.h>
#include <stdlib.h>

#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "executorch/program.h"
#include "runtime/core/error.h"
#include "runtime/verify/registry.h"

/* A file, as passed to the runtime. */
typedef struct opened_file {
  et_file file;
  et_extent extent;
} opened_file;

/* The program and its .ptd files. `count` is the number of open files. */
typedef struct opened {
  opened_file *files;
  et_data_source *sources;
  size_t count;
} opened;

static et_status open_source(opened *o, const char *path, et_error *error) {
  opened_file *opening = &o->files[o->count];
  ET_RETURN_IF_ERROR(et_file_open(path, &opening->file, error));
  opening->extent.bytes = opening->file.bytes;
  const et_data_source source = {
      path, opening->file.bytes.size, &opening->extent, 1, NULL, NULL};
  o->sources[o->count++] = source;
  return ET_STATUS_OK;
}

static et_status verify_ends(const et_method_meta *meta, et_error *error) {
  et_value_meta value;
  size_t bytes = 0;
  for (size_t i = 0; i < et_method_meta_input_count(meta); i++) {
    ET_RETURN_IF_ERROR(et_method_meta_input(meta, i, &value, error));
  }
  for (size_t i = 0; i < et_method_meta_output_count(meta); i++) {
    ET_RETURN_IF_ERROR(et_method_meta_output(meta, i, &value, error));
  }
  for (size_t i = 0; i < et_method_meta_planned_count(meta); i++) {
    ET_RETURN_IF_ERROR(et_method_meta_planned_bytes(meta, i, &bytes, error));
  }
  return ET_STATUS_OK;
}

/* Returns true if loading failed because this program lacks a kernel, a
 * backend, weights or memory. Such a failure does not concern the program
 * file. */
static bool lacks_part(et_status status, bool has_weights) {
  return status == ET_STATUS_OPERATOR_MISSING ||
         status == ET_STATUS_MEMORY_TOO_SMALL ||
         (status == ET_STATUS_NOT_FOUND && !has_weights);
}

static et_status load(const et_program *program, const char *name,
                      bool has_weights, et_error *error) {
  et_hosted_method hosted;
  const et_status status = et_hosted_method_load(
      program, name, &et_verify_registry, NULL, &hosted, error);
  if (status == ET_STATUS_OK) {
    et_hosted_method_free(&hosted);
    return ET_STATUS_OK;
  }
  if (lacks_part(status, has_weights)) {
    return ET_STATUS_OK;
  }
  const et_error reason = *error;
  et_error_clear(error); /* otherwise, the first message would be kept */
  return et_fail_because(error, status, &reason, "method %s: ", name);
}

static et_status verify_methods(const et_program *program, bool has_weights,
                                et_error *error) {
  for (size_t i = 0; i < et_program_method_count(program); i++) {
    et_string name;
    et_method_meta meta;
    ET_RETURN_IF_ERROR(et_program_method_name(program, i, &name));
    ET_RETURN_IF_ERROR(
        et_program_method_meta(program, name.data, &meta, error));
    ET_RETURN_IF_ERROR(verify_ends(&meta, error));
    ET_RETURN_IF_ERROR(load(program, name.data, has_weights, error));
  }
  return ET_STATUS_OK;
}

static et_status verify(opened *o, char **paths, int count, et_error *error) {
  et_program program;
  for (int i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(open_source(o, paths[i], error));
  }
  ET_RETURN_IF_ERROR(
      et_program_load_sources(o->sources, o->count, &program, error));
  ET_RETURN_IF_ERROR(et_program_check_contents(&program, error));
  return verify_methods(&program, count > 1, error);
}

static int write_stamp(const char *path) {
  FILE *stamp = fopen(path, "wb");
  if (stamp == NULL || fclose(stamp) != 0) {
    fprintf(stderr, "verify_program: cannot write %s\n", path);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

static et_status open_and_verify(char **paths, int count, et_error *error) {
  opened o = {calloc((size_t)count, sizeof *o.files),
              calloc((size_t)count, sizeof *o.sources), 0};
  const et_status status =
      o.files != NULL && o.sources != NULL
          ? verify(&o, paths, count, error)
          : et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                    "out of memory for a list of %u files", (unsigned)count);
  for (size_t i = 0; i < o.count; i++) {
    et_file_close(&o.files[i].file);
  }
  free(o.files);
  free(o.sources);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(
        stderr,
        "usage: verify_program TARGET STAMP PROGRAM.pte [WEIGHTS.ptd...]\n");
    return 2;
  }
  et_error error;
  et_error_clear(&error);
  const et_status status = open_and_verify(argv + 3, argc - 3, &error);
  if (status != ET_STATUS_OK) {
    fprintf(stderr,
            "error: %s: the runtime rejects %s: %s: %s\n  if the file is "
            "prebuilt, export or download it again; if this build compiled it, "
            "report a bug in the compiler or the backend\n",
            argv[1], argv[3], et_status_name(status),
            error.message[0] != '\0' ? error.message : et_status_text(status));
    return EXIT_FAILURE;
  }
  return write_stamp(argv[2]);
}
