/* verify_program: opens a program as the runtime does, which verifies all of it.
 *
 *   verify_program TARGET STAMP PROGRAM.pte [WEIGHTS.ptd...]
 *
 * Writes STAMP, an empty file, and exits with 0 when the structure of every file, what
 * external data says of its own content, and what each method says of its inputs,
 * outputs and memory are as they must be. Else it says what is not, and exits with 1;
 * with 2 when called wrongly. TARGET is for messages. */
#include <stdio.h>
#include <stdlib.h>

#include "executorch/file_loader.h"
#include "executorch/program.h"

/* The program, and files of external data. */
#define MAX_FILES 17

typedef struct opened {
  et_file files[MAX_FILES];
  et_extent extents[MAX_FILES];
  et_data_source sources[MAX_FILES];
  size_t count;
} opened;

static et_status open_source(opened *o, const char *path, et_error *error) {
  et_file *file = &o->files[o->count];
  ET_RETURN_IF_ERROR(et_file_open(path, file, error));
  et_extent *extent = &o->extents[o->count];
  extent->bytes = file->bytes;
  const et_data_source source = {path, file->bytes.size, extent, 1, NULL, NULL};
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

static et_status verify_methods(const et_program *program, et_error *error) {
  for (size_t i = 0; i < et_program_method_count(program); i++) {
    et_string name;
    et_method_meta meta;
    ET_RETURN_IF_ERROR(et_program_method_name(program, i, &name));
    ET_RETURN_IF_ERROR(
        et_program_method_meta(program, name.data, &meta, error));
    ET_RETURN_IF_ERROR(verify_ends(&meta, error));
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
  return verify_methods(&program, error);
}

static int write_stamp(const char *path) {
  FILE *stamp = fopen(path, "wb");
  if (stamp == NULL || fclose(stamp) != 0) {
    fprintf(stderr, "verify_program: %s cannot be written\n", path);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc - 3 > MAX_FILES) {
    fprintf(
        stderr,
        "usage: verify_program TARGET STAMP PROGRAM.pte [WEIGHTS.ptd...]\n");
    return 2;
  }
  opened o = {.count = 0};
  et_error error;
  et_error_clear(&error);
  const et_status status = verify(&o, argv + 3, argc - 3, &error);
  for (size_t i = 0; i < o.count; i++) {
    et_file_close(&o.files[i]);
  }
  if (status != ET_STATUS_OK) {
    fprintf(
        stderr,
        "error: %s: %s is no program that the runtime opens: %s: %s\n"
        "  no device would open it: export or fetch it again if it was made "
        "elsewhere; if it was compiled here, the compiler or a backend wrote "
        "what it should not\n",
        argv[1], argv[3], et_status_name(status),
        error.message[0] != '\0' ? error.message : et_status_text(status));
    return EXIT_FAILURE;
  }
  return write_stamp(argv[2]);
}
