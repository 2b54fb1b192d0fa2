/* Memory-mapped files, on POSIX systems and Windows.
 *
 * On WASI, which cannot map files, they are read into heap memory. */
#ifndef EXECUTORCH_FILE_LOADER_H_
#define EXECUTORCH_FILE_LOADER_H_

#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file mapped for reading. An all-zero struct is closed. */
typedef struct et_file {
  et_span bytes; /* aligned as et_program_load requires */
} et_file;

/* Every .pte and .ptd file has at least an offset and an identifier. */
#define ET_FILE_MIN_BYTES 8

/* Maps a regular file of at least ET_FILE_MIN_BYTES bytes.
 *
 * On Windows, the path is UTF-8. `argv` of `main` is encoded in the ANSI code
 * page, unless the program's manifest sets another one. Other systems receive
 * the path unchanged.
 *
 * The file must not change while it is open. ACCESS_FAILED: the message has the
 * path, and the system's reason or the size of a file that is too short. */
et_status et_file_open(const char *path, et_file *out_file,
                       et_error *out_error);

/* Unmaps or frees the file and zeroes `file`. Does nothing if `file` is closed. */
void et_file_close(et_file *file);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_FILE_LOADER_H_ */
