#include "runtime/prim/number.h"

static et_status fail_kind(et_kernel_context *context, const et_value *out,
                           const char *result) {
  return et_fail(context->error, ET_STATUS_INVALID_TYPE,
                 "the result is %s, but the output is declared as %s", result,
                 et_value_tag_name((int32_t)out->tag));
}

et_status et_number_store_int(et_kernel_context *context, et_value *out,
                              int64_t result) {
  if (out->tag == ET_VALUE_INT) {
    out->u.as_int = result;
    return ET_STATUS_OK;
  }
  if (out->tag == ET_VALUE_DOUBLE) {
    out->u.as_double = (double)result;
    return ET_STATUS_OK;
  }
  return fail_kind(context, out, "int");
}

et_status et_number_store_double(et_kernel_context *context, et_value *out,
                                 double result) {
  if (out->tag != ET_VALUE_DOUBLE) {
    return fail_kind(context, out, "float");
  }
  out->u.as_double = result;
  return ET_STATUS_OK;
}

et_status et_number_store_bool(et_kernel_context *context, et_value *out,
                               bool result) {
  if (out->tag != ET_VALUE_BOOL) {
    return fail_kind(context, out, "bool");
  }
  out->u.as_bool = result;
  return ET_STATUS_OK;
}

et_status et_number_store_truncated(et_kernel_context *context, et_value *out,
                                    double result) {
  const double limit = 9223372036854775808.0; /* 2^63; -2^63 is a valid int */
  if (!(result >= -limit && result < limit)) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "the float is NaN or out of the range of int");
  }
  return et_number_store_int(context, out, (int64_t)result);
}
