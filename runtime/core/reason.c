#include "runtime/core/reason.h"

#include <string.h>

#include "runtime/core/format.h"
#include "runtime/core/noinline.h"

ET_INTEGERS et_status(et_fail_program)(et_error *error, const char *format,
                                       ...) {
  va_list args;
  va_start(args, format);
  et_fail_args(error, ET_STATUS_INVALID_PROGRAM, format, &args);
  va_end(args);
  return ET_STATUS_INVALID_PROGRAM;
}

et_status et_fail_code_program(et_error *error, uint32_t place,
                               uint32_t index) {
  return et_fail_code(error, ET_STATUS_INVALID_PROGRAM, place, index);
}

ET_INTEGERS void(et_error_append)(et_error *error, const char *format, ...) {
  if (error != NULL) {
    const size_t used = strlen(error->message);
    va_list args;
    va_start(args, format);
    et_format_args(error->message + used, sizeof error->message - used, format,
                   &args);
    va_end(args);
  }
}

ET_INTEGERS et_status(et_fail_because)(et_error *error, et_status status,
                                       const et_error *reason,
                                       const char *format, ...) {
  va_list args;
  et_error own;
  if (reason == NULL && error != NULL) {
    own = *error;
    reason = &own;
    et_error_clear(error);
  }
  va_start(args, format);
  const size_t used = et_fail_args(error, status, format, &args);
  va_end(args);
  if (used != 0) {
    et_error_append(error, "%s",
                    reason->message[0] != '\0' ? reason->message
                                               : et_status_text(status));
  }
  return status;
}

et_status et_fail_code_because(et_error *error, et_status status,
                               const et_error *reason, uint32_t place,
                               uint32_t index) {
  if (reason->message[0] == '\0') {
    return et_fail_code(error, status, place, index);
  }
  if (error != NULL && error->status == ET_STATUS_OK) {
    *error = *reason;
    error->status = status;
  }
  return status;
}
