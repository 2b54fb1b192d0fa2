/* Reads files into heap memory, for systems that cannot map them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "executorch/method.h"

static et_status fail_access(const char *path, const char *reason,
                             et_error *error) {
  return et_fail(error, ET_STATUS_ACCESS_FAILED,
                 "%s: %s; pass the path of a .pte or .ptd file", path, reason);
}

static et_status read_stream(const char *path, FILE *stream, et_file *out_file,
                             et_error *error) {
  const long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
  if (size < 0 || fseek(stream, 0, SEEK_SET) != 0) {
    return fail_access(path, "not a regular file", error);
  }
  if (size < ET_FILE_MIN_BYTES) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED,
                   "%s: a file of %ld bytes is too short; pass the path of a "
                   ".pte or .ptd file",
                   path, size);
  }
  const size_t over = (size_t)size % ET_MEMORY_ALIGNMENT;
  const size_t padding = over == 0 ? 0 : ET_MEMORY_ALIGNMENT - over;
  void *data = aligned_alloc(ET_MEMORY_ALIGNMENT, (size_t)size + padding);
  if (data == NULL) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED, "%s: out of heap memory",
                   path);
  }
  if (fread(data, 1, (size_t)size, stream) != (size_t)size) {
    free(data);
    return fail_access(path, "cannot be read", error);
  }
  out_file->bytes.data = data;
  out_file->bytes.size = (size_t)size;
  return ET_STATUS_OK;
}

et_status et_file_open(const char *path, et_file *out_file,
                       et_error *out_error) {
  et_error_clear(out_error);
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) {
    return fail_access(path, strerror(errno), out_error);
  }
  const et_status status = read_stream(path, stream, out_file, out_error);
  fclose(stream);
  return status;
}

void et_file_close(et_file *file) {
  free((void *)(uintptr_t)file->bytes.data);
  file->bytes.data = NULL;
  file->bytes.size = 0;
}
