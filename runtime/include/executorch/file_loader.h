/* Files as spans, on systems that have memory-mapped files (POSIX). */
#ifndef EXECUTORCH_FILE_LOADER_H_
#define EXECUTORCH_FILE_LOADER_H_

#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file mapped for reading. All zero is no file. */
typedef struct et_file {
  et_span bytes; /* page-aligned, as et_program_load needs it */
} et_file;

/* Maps a regular file that is not empty. It must not be changed while it is
 * open. ACCESS_FAILED names the path and the system's reason. */
et_status et_file_open(const char *path, et_file *out_file,
                       et_error *out_error);

/* Ends the mapping, and makes `file` no file. Nothing to do for one. */
void et_file_close(et_file *file);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_FILE_LOADER_H_ */
