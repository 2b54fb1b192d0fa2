#include "executorch/status.h"

#include "runtime/core/coded_texts.h"
#include "runtime/core/format.h"
#include "runtime/core/noinline.h"
#include "runtime/core/reason.h"

#define ET_STATUS_CODE(name, code, text) code,
static const uint8_t codes[] = {ET_STATUS_LIST(ET_STATUS_CODE)};
#undef ET_STATUS_CODE

/* Names and descriptions are in separate arrays; a program links only those
 * that it uses. */
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
