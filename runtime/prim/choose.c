/* Comparisons and selection of scalars. */
#include "runtime/prim/number.h"

/* Returns -1, 0 or 1, or 2 if a or b is NaN. Ints are compared exactly, as
 * ints. */
static int compare(const et_value *a, const et_value *b) {
  if (et_number_is_float_pair(a, b)) {
    const double x = et_scalar_to_double(a);
    const double y = et_scalar_to_double(b);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
  }
  const int64_t x = et_scalar_to_int(a);
  const int64_t y = et_scalar_to_int(b);
  return (x > y) - (x < y);
}

/* args: [a, b, out]. */
#define DEFINE_COMPARISON(name, condition)                      \
  et_status name(et_kernel_context *context, et_value **args) { \
    const int order = compare(args[0], args[1]);                \
    return et_number_store_bool(context, args[2], condition);   \
  }

DEFINE_COMPARISON(et_prim_eq_scalar, order == 0)
DEFINE_COMPARISON(et_prim_lt_scalar, order == -1)
DEFINE_COMPARISON(et_prim_le_scalar, order == -1 || order == 0)
DEFINE_COMPARISON(et_prim_gt_scalar, order == 1)
DEFINE_COMPARISON(et_prim_ge_scalar, order == 1 || order == 0)

static et_status store_number(et_kernel_context *context, et_value *out,
                              const et_value *number) {
  if (number->tag == ET_VALUE_BOOL && out->tag == ET_VALUE_BOOL) {
    return et_number_store_bool(context, out, number->u.as_bool);
  }
  return et_number_is_float(number)
             ? et_number_store_double(context, out, number->u.as_double)
             : et_number_store_int(context, out, et_scalar_to_int(number));
}

et_status et_prim_sym_max_scalar(et_kernel_context *context, et_value **args) {
  return store_number(context, args[2],
                      compare(args[0], args[1]) >= 0 ? args[0] : args[1]);
}

et_status et_prim_sym_min_scalar(et_kernel_context *context, et_value **args) {
  return store_number(context, args[2],
                      compare(args[0], args[1]) <= 0 ? args[0] : args[1]);
}

/* args: [condition, if_true, if_false, out]. */
et_status et_prim_sym_ite_scalar(et_kernel_context *context, et_value **args) {
  return store_number(context, args[3], args[0]->u.as_bool ? args[1] : args[2]);
}

/* args: [a, out]. */
et_status et_prim_sym_not_scalar(et_kernel_context *context, et_value **args) {
  return et_number_store_bool(context, args[1], !args[0]->u.as_bool);
}
