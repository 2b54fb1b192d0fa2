/* Code shared by the functions that take the index of an input or output. */
#ifndef ET_RUNTIME_METHOD_ENDS_H_
#define ET_RUNTIME_METHOD_ENDS_H_

#include "executorch/status.h"

/* Clears the error, and checks index < count. Else INVALID_ARGUMENT. `name` is
 * ET_MESSAGE_TEXT("inputs") or ET_MESSAGE_TEXT("outputs"). */
et_status et_check_end(const char *name, size_t index, uint32_t count,
                       et_error *error);

#endif /* ET_RUNTIME_METHOD_ENDS_H_ */
