/* Opens a program from one source. */
#ifndef ET_RUNTIME_PROGRAM_LOAD_H_
#define ET_RUNTIME_PROGRAM_LOAD_H_

#include "executorch/program.h"
#include "executorch/status.h"

/* Verifies the file and opens it as a program without other sources. The
 * source's extents are already checked. */
et_status et_load_program(const et_data_source *source, et_program *out_program,
                          et_error *error);

#endif /* ET_RUNTIME_PROGRAM_LOAD_H_ */
