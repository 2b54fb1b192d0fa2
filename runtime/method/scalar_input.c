#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/method/ends.h"
#include "runtime/method/ranges.h"

static bool same_string(et_string a, et_string b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool same_scalar(const et_value *a, const et_value *b) {
  if (a->tag != b->tag) {
    return false;
  }
  switch (a->tag) {
    case ET_VALUE_NONE:
      return true;
    case ET_VALUE_INT:
      return a->u.as_int == b->u.as_int;
    case ET_VALUE_BOOL:
      return a->u.as_bool == b->u.as_bool;
    case ET_VALUE_DOUBLE:
      return memcmp(&a->u.as_double, &b->u.as_double, sizeof(double)) == 0;
    case ET_VALUE_STRING:
      return same_string(a->u.as_string, b->u.as_string);
    default:
      return false;
  }
}

et_status et_method_set_scalar_input(et_method *method, size_t index,
                                     const et_value *value,
                                     et_error *out_error) {
  ET_RETURN_IF_ERROR(
      et_check_end("inputs", index, method->input_count, out_error));
  bool is_ranged = false;
  if (method->ranges != NULL) {
    ET_RETURN_IF_ERROR(method->ranges->set_integer(method, index, value,
                                                   &is_ranged, out_error));
  }
  if (!is_ranged && !same_scalar(method->inputs[index].value, value)) {
    return et_fail(
        out_error, ET_STATUS_INVALID_ARGUMENT,
        "inputs[%zu] is a constant and differs from the exported %s", index,
        et_value_tag_name((int32_t)method->inputs[index].value->tag));
  }
  method->has_outputs = false;
  return ET_STATUS_OK;
}
