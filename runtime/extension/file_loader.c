#define _POSIX_C_SOURCE 200809L

#include "executorch/file_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static et_status fail_access(const char *path, const char *reason,
                             et_error *error) {
  return et_fail(error, ET_STATUS_ACCESS_FAILED,
                 "%s: %s; pass the path of a .pte or .ptd file", path, reason);
}

static et_status map_descriptor(const char *path, int descriptor,
                                et_file *out_file, et_error *error) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) {
    return fail_access(path, strerror(errno), error);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail_access(path, "not a regular file", error);
  }
  if (status.st_size < ET_FILE_MIN_BYTES) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED,
                   "%s: a file of %d bytes is too short; pass the path of a "
                   ".pte or .ptd file",
                   path, (int)status.st_size);
  }
  const size_t size = (size_t)status.st_size;
  void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) {
    return fail_access(path, strerror(errno), error);
  }
  out_file->bytes.data = data;
  out_file->bytes.size = size;
  return ET_STATUS_OK;
}

et_status et_file_open(const char *path, et_file *out_file,
                       et_error *out_error) {
  et_error_clear(out_error);
  /* With O_NONBLOCK, opening a pipe does not wait for a writer. */
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return fail_access(path, strerror(errno), out_error);
  }
  const et_status status =
      map_descriptor(path, descriptor, out_file, out_error);
  close(descriptor); /* does not affect the mapping */
  return status;
}

void et_file_close(et_file *file) {
  if (file->bytes.data != NULL) {
    munmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
  }
  file->bytes.data = NULL;
  file->bytes.size = 0;
}
