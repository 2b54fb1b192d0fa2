#include "runtime/core/says.h"

#include "executorch/scalar_type.h"
#include "executorch/value.h"
#include "runtime/core/packing.h"

#if ET_PACKS

/* A code and the number of its packed text. The last row is for unknown
 * codes. */
typedef struct row {
  uint8_t code;
  uint8_t number;
} row;
#define ROW(code, text) {code, ET_PACKED_NUMBER(text)},

static const char *text_of(const row *rows, size_t count, int32_t code) {
  size_t i = 0;
  while (i < count - 1 && rows[i].code != code) {
    i++;
  }
  return ET_PACKED_TEXT(rows[i].number);
}

const char *et_status_says(et_status status) {
#define STATUS(name, code, text) ROW(code, text)
  static const row rows[] = {
      ET_STATUS_LIST(STATUS){0, ET_PACKED_NUMBER("unknown status")}};
  return text_of(rows, sizeof rows / sizeof *rows, (int32_t)status);
}

const char *et_value_tag_says(int32_t tag) {
#define TAG(name, code, text) ROW(code, text)
  static const row rows[] = {
      ET_VALUE_TAG_LIST(TAG){0, ET_PACKED_NUMBER("unknown")}};
  return text_of(rows, sizeof rows / sizeof *rows, tag);
}

const char *et_scalar_type_says(int32_t dtype) {
#define DTYPE(name, code, bytes, text) ROW(code, text)
  static const row rows[] = {
      ET_SCALAR_TYPE_LIST(DTYPE){0, ET_PACKED_NUMBER("unknown")}};
  return text_of(rows, sizeof rows / sizeof *rows, dtype);
}

#else

const char *et_status_says(et_status status) { return et_status_text(status); }

const char *et_value_tag_says(int32_t tag) { return et_value_tag_name(tag); }

const char *et_scalar_type_says(int32_t dtype) {
  return et_scalar_type_name(dtype);
}

#endif
