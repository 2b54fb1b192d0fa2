#include "executorch/status.h"

#include "runtime/core/format.h"

const char *et_status_name(et_status status) {
  switch (status) {
#define ET_STATUS_NAME(name, code, text) \
  case ET_STATUS_##name:                 \
    return #name;
    ET_STATUS_LIST(ET_STATUS_NAME)
#undef ET_STATUS_NAME
  }
  return "UNKNOWN";
}

const char *et_status_text(et_status status) {
  switch (status) {
#define ET_STATUS_TEXT(name, code, text) \
  case ET_STATUS_##name:                 \
    return text;
    ET_STATUS_LIST(ET_STATUS_TEXT)
#undef ET_STATUS_TEXT
  }
  return "unknown status";
}

void et_error_clear(et_error *error) {
  if (error != NULL) {
    error->status = ET_STATUS_OK;
    error->message[0] = '\0';
  }
}

et_status et_fail(et_error *error, et_status status, const char *format, ...) {
  if (error != NULL && error->status == ET_STATUS_OK) {
    va_list args;
    va_start(args, format);
    et_format_args(error->message, sizeof error->message, format, &args);
    va_end(args);
    error->status = status;
  }
  return status;
}
