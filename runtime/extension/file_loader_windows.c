#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <stdlib.h>

#include "executorch/file_loader.h"

static et_status fail_access(const char *path, et_error *error) {
  return et_fail(error, ET_STATUS_ACCESS_FAILED,
                 "%s: cannot be read (Windows error %u); pass the path of a "
                 ".pte or .ptd file",
                 path, (unsigned)GetLastError());
}

/* A view stays valid after its file and its mapping are closed. */
static et_status map_handle(const char *path, HANDLE handle, et_file *out_file,
                            et_error *error) {
  LARGE_INTEGER size;
  if (GetFileType(handle) != FILE_TYPE_DISK) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED,
                   "%s: not a regular file; pass the path of a .pte or .ptd "
                   "file",
                   path);
  }
  if (!GetFileSizeEx(handle, &size)) {
    return fail_access(path, error);
  }
  if (size.QuadPart < ET_FILE_MIN_BYTES) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED,
                   "%s: a file of %d bytes is too short; pass the path of a "
                   ".pte or .ptd file",
                   path, (int)size.QuadPart);
  }
  if ((ULONGLONG)size.QuadPart > SIZE_MAX) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED,
                   "%s: too large; pass the path of a .pte or .ptd file", path);
  }
  const HANDLE mapping =
      CreateFileMappingA(handle, NULL, PAGE_READONLY, 0, 0, NULL);
  if (mapping == NULL) {
    return fail_access(path, error);
  }
  const void *data = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  const et_status status =
      data == NULL ? fail_access(path, error) : ET_STATUS_OK;
  CloseHandle(mapping);
  if (data != NULL) {
    out_file->bytes.data = data;
    out_file->bytes.size = (size_t)size.QuadPart;
  }
  return status;
}

/* Converts UTF-8 to a new UTF-16 string, which the caller frees. */
static et_status to_utf16(const char *path, WCHAR **out, et_error *error) {
  const int size =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  if (size == 0) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED,
                   "%s: the path is not valid UTF-8", path);
  }
  *out = malloc((size_t)size * sizeof **out);
  if (*out == NULL) {
    return et_fail(error, ET_STATUS_ACCESS_FAILED, "%s: out of heap memory",
                   path);
  }
  MultiByteToWideChar(CP_UTF8, 0, path, -1, *out, size);
  return ET_STATUS_OK;
}

et_status et_file_open(const char *path, et_file *out_file,
                       et_error *out_error) {
  et_error_clear(out_error);
  WCHAR *wide = NULL;
  ET_RETURN_IF_ERROR(to_utf16(path, &wide, out_error));
  const HANDLE handle = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ, NULL,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  const et_status status = handle == INVALID_HANDLE_VALUE
                               ? fail_access(path, out_error)
                               : map_handle(path, handle, out_file, out_error);
  if (handle != INVALID_HANDLE_VALUE) {
    CloseHandle(handle);
  }
  free(wide);
  return status;
}

void et_file_close(et_file *file) {
  if (file->bytes.data != NULL) {
    UnmapViewOfFile(file->bytes.data);
  }
  file->bytes.data = NULL;
  file->bytes.size = 0;
}
