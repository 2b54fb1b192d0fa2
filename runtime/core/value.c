#include "executorch/value.h"

#include <string.h>

#include "runtime/core/error.h"

const char *et_value_tag_name(int32_t tag) {
#define ET_VALUE_TAG_CODE(name, code, text) code,
#define ET_VALUE_TAG_NAME(name, code, text) text "\0"
  static const uint8_t codes[] = {ET_VALUE_TAG_LIST(ET_VALUE_TAG_CODE)};
  static const et_coded_texts names = {
      codes, sizeof codes, ET_VALUE_TAG_LIST(ET_VALUE_TAG_NAME) "unknown"};
#undef ET_VALUE_TAG_NAME
#undef ET_VALUE_TAG_CODE
  return et_coded_text(&names, tag);
}

double et_double_list_at(const et_value *list, size_t index) {
  double item = 0;
  memcpy(&item, list->u.as_packed.data + index * sizeof item, sizeof item);
  return item;
}

bool et_bool_list_at(const et_value *list, size_t index) {
  return list->u.as_packed.data[index] != 0;
}

double et_scalar_to_double(const et_value *value) {
  switch (value->tag) {
    case ET_VALUE_INT:
      return (double)value->u.as_int;
    case ET_VALUE_BOOL:
      return value->u.as_bool ? 1 : 0;
    case ET_VALUE_DOUBLE:
      return value->u.as_double;
    default:
      return 0;
  }
}

/* In C, converting a double outside the range of int64_t is undefined. */
static int64_t truncate_saturating(double number) {
  const double limit = 9223372036854775808.0; /* 2^63 */
  if (number != number) {
    return 0;
  }
  if (number >= limit) {
    return INT64_MAX;
  }
  return number < -limit ? INT64_MIN : (int64_t)number;
}

int64_t et_scalar_to_int(const et_value *value) {
  switch (value->tag) {
    case ET_VALUE_INT:
      return value->u.as_int;
    case ET_VALUE_BOOL:
      return value->u.as_bool ? 1 : 0;
    case ET_VALUE_DOUBLE:
      return truncate_saturating(value->u.as_double);
    default:
      return 0;
  }
}
