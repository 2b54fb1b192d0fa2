#include "executorch/status.h"

#include <string.h>

#include "runtime/core/error.h"
#include "runtime/core/format.h"
#include "runtime/core/noinline.h"

#define ET_STATUS_CODE(name, code, text) code,
static const uint8_t codes[] = {ET_STATUS_LIST(ET_STATUS_CODE)};
#undef ET_STATUS_CODE

/* Names and descriptions are in separate arrays, so that a program links only
 * those that it uses. */
const char *et_status_name(et_status status) {
#define ET_STATUS_NAME(name, code, text) #name "\0"
  static const char names[] = ET_STATUS_LIST(ET_STATUS_NAME) "UNKNOWN";
#undef ET_STATUS_NAME
  static const et_coded_texts list = {codes, sizeof codes, names};
  return et_coded_text(&list, (int32_t)status);
}

const char *et_status_text(et_status status) {
#define ET_STATUS_TEXT(name, code, text) text "\0"
  static const char texts[] = ET_STATUS_LIST(ET_STATUS_TEXT) "unknown status";
#undef ET_STATUS_TEXT
  static const et_coded_texts list = {codes, sizeof codes, texts};
  return et_coded_text(&list, (int32_t)status);
}

void et_error_clear(et_error *error) {
  if (error != NULL) {
    error->status = ET_STATUS_OK;
    error->message[0] = '\0';
  }
}

size_t et_fail_args(et_error *error, et_status status, const char *format,
                    va_list *args) {
  if (error == NULL || error->status != ET_STATUS_OK) {
    return 0;
  }
  error->status = status;
  return et_format_args(error->message, sizeof error->message, format, args);
}

ET_INTEGERS et_status(et_fail)(et_error *error, et_status status,
                               const char *format, ...) {
  va_list args;
  va_start(args, format);
  et_fail_args(error, status, format, &args);
  va_end(args);
  return status;
}

/* Writes four hexadecimal digits and then `next`. */
static char *put_hex(char *to, uint32_t value, char next) {
  for (int shift = 12; shift >= 0; shift -= 4) {
    *to++ = "0123456789abcdef"[value >> shift & 0xF];
  }
  *to = next;
  return to + 1;
}

et_status et_fail_code(et_error *error, et_status status, uint32_t place,
                       uint32_t index) {
  if (error != NULL && error->status == ET_STATUS_OK) {
    char *to = put_hex(error->message, place >> 16, ':');
    to = put_hex(to, place, ':');
    (void)put_hex(put_hex(to, index >> 16, '\0') - 1, index, '\0');
    error->status = status;
  }
  return status;
}

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

et_status(et_advise)(et_error *error, et_status status, const char *remedy) {
  if (status != ET_STATUS_OK && error != NULL &&
      memchr(error->message, ';', strlen(error->message)) == NULL) {
    et_error_append(error, "; %s", remedy);
  }
  return status;
}

et_status(et_advise_load)(et_error *error, et_status status) {
  switch (status) {
    case ET_STATUS_INVALID_PROGRAM:
    case ET_STATUS_INVALID_EXTERNAL_DATA:
      return et_advise(error, status, "export the program again");
    case ET_STATUS_OPERATOR_MISSING:
      return et_advise(error, status, "add it to the registry");
    case ET_STATUS_OUT_OF_RESOURCES:
      return et_advise(error, status, "split the model");
    default:
      return status;
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

const char *et_coded_text(const et_coded_texts *list, int32_t code) {
  const char *text = list->texts;
  for (size_t i = 0; i < list->count && list->codes[i] != code; i++) {
    text += strlen(text) + 1;
  }
  return text;
}
