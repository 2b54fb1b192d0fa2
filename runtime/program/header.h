/* The first bytes of a .pte file: identifier, root, and the extended header
 * that tells tables from segments. */
#ifndef ET_RUNTIME_PROGRAM_HEADER_H_
#define ET_RUNTIME_PROGRAM_HEADER_H_

#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"

/* Divides the file, whose first extent begins at 0, into flatbuffer and segments.
 * On failure *out_program is undefined.
 * INVALID_PROGRAM when the identifier is another, or the file is shorter than its
 * header says; INVALID_ARGUMENT when that extent does not hold all tables. */
et_status et_header_parse(const et_data_source *source, et_program *out_program,
                          et_error *error);

#endif /* ET_RUNTIME_PROGRAM_HEADER_H_ */
