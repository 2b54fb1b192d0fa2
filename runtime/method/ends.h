/* What functions that name an input or output by its index share. */
#ifndef ET_RUNTIME_METHOD_ENDS_H_
#define ET_RUNTIME_METHOD_ENDS_H_

#include "executorch/status.h"

/* Clears the error. INVALID_ARGUMENT where there are only `count`; `name` is ET_SAYS("inputs") or outputs. */
et_status et_check_end(const char *name, size_t index, uint32_t count,
                       et_error *error);

#endif /* ET_RUNTIME_METHOD_ENDS_H_ */
