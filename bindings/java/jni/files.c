/* Opens the files of a program. */
#include <string.h>

#include "bindings/java/jni/model.h"

/* Adds the path of a file to an error about its contents. `start` is the text at
 * the start of the message that the path replaces. */
static et_status locate(const char *path, const char *start, et_status status,
                        et_error *error) {
  const et_error found = *error;
  const size_t skipped =
      strncmp(found.message, start, strlen(start)) == 0 ? strlen(start) : 0;
  if (path == NULL) {
    return status;
  }
  et_error_clear(error);
  return et_fail(error, status, "%s: %s", path, found.message + skipped);
}

/* Maps the files that have a path, and selects those of the library. */
static et_status open_files(et_java_model *model, et_error *error) {
  const et_span linked[2] = {model->spec.program, model->spec.weights};
  const size_t count = model->spec.has_weights ? 2 : 1;
  for (size_t i = 0; i < count; i++) {
    et_java_file *file = &model->files[i];
    if (file->path != NULL) {
      ET_RETURN_IF_ERROR(et_file_open(file->path, &model->mapped[i], error));
      file->bytes = model->mapped[i].bytes;
    } else if (file->bytes.data == NULL) {
      file->bytes = linked[i];
    }
  }
  return ET_STATUS_OK;
}

static et_status open_sources(et_java_model *model, et_error *error) {
  static const char *const names[2] = {"program", "weights"};
  for (size_t i = 0; i < 2; i++) {
    const et_extent extent = {.offset = 0, .bytes = model->files[i].bytes};
    const et_data_source source = {.name = names[i],
                                   .size = extent.bytes.size,
                                   .extents = &model->extents[i],
                                   .extent_count = 1};
    model->extents[i] = extent;
    model->sources[i] = source;
  }
  ET_RETURN_IF_ERROR(
      et_program_load_sources(model->sources, 2, &model->program, error));
  return model->spec.check_weights
             ? et_program_check_contents(&model->program, error)
             : ET_STATUS_OK;
}

et_status et_java_open_program(et_java_model *model, et_error *error) {
  static const char weights[] = "source 'weights': ";
  ET_RETURN_IF_ERROR(open_files(model, error));
  const et_status status =
      model->spec.has_weights
          ? open_sources(model, error)
          : et_program_load(model->files[0].bytes, &model->program, error);
  if (status == ET_STATUS_OK) {
    return status;
  }
  const bool is_in_weights =
      strncmp(error->message, weights, sizeof weights - 1) == 0;
  return locate(model->files[is_in_weights].path, is_in_weights ? weights : "",
                status, error);
}
