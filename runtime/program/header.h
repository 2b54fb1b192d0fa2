/* Parses the header of a .pte file: identifier, root, and extended header.
 *
 * The extended header states the sizes of the flatbuffer and the segments. */
#ifndef ET_RUNTIME_PROGRAM_HEADER_H_
#define ET_RUNTIME_PROGRAM_HEADER_H_

#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"

/* Splits the file into flatbuffer and segments. Its first extent begins at 0.
 *
 * On error, *out_program is undefined. INVALID_PROGRAM: wrong identifier, or
 * the file is truncated. INVALID_ARGUMENT: the first extent does not hold all
 * tables. */
et_status et_header_parse(const et_data_source *source, et_program *out_program,
                          et_error *error);

#endif /* ET_RUNTIME_PROGRAM_HEADER_H_ */
