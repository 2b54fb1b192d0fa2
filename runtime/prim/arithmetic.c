/* Scalar arithmetic; args are [a, b, out] or [a, out].
 *
 * As in Python, floor division rounds down, and the result of modulo has the
 * divisor's sign. Integer overflow is an error. */
#include <math.h>

#include "runtime/prim/number.h"

static et_status fail_overflow(et_kernel_context *context) {
  return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                 "the result overflows 64 bits");
}

static et_status fail_zero(et_kernel_context *context) {
  return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                 "division by zero");
}

static bool add_int(int64_t a, int64_t b, int64_t *out) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
    return false;
  }
  *out = a + b;
  return true;
}

static bool sub_int(int64_t a, int64_t b, int64_t *out) {
  if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) {
    return false;
  }
  *out = a - b;
  return true;
}

static bool mul_int(int64_t a, int64_t b, int64_t *out) {
  const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  const uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  const bool negative = (a < 0) != (b < 0);
  const uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
  if (x != 0 && y > limit / x) {
    return false;
  }
  const uint64_t product = x * y;
  *out = !negative      ? (int64_t)product
         : product == 0 ? 0
                        : -(int64_t)(product - 1) - 1;
  return true;
}

/* Both require b != 0. INT64_MIN / -1 overflows. */
static bool floordiv_int(int64_t a, int64_t b, int64_t *out) {
  if (a == INT64_MIN && b == -1) {
    return false;
  }
  const int64_t quotient = a / b;
  *out = a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  return true;
}

static bool mod_int(int64_t a, int64_t b, int64_t *out) {
  const int64_t rest = b == -1 ? 0 : a % b;
  *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  return true;
}

static double floordiv_double(double a, double b) { return floor(a / b); }

static double mod_double(double a, double b) {
  const double rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

typedef bool (*int_fn)(int64_t a, int64_t b, int64_t *out);

static et_status store_int_result(et_kernel_context *context, et_value **args,
                                  int_fn compute) {
  int64_t result = 0;
  if (!compute(et_scalar_to_int(args[0]), et_scalar_to_int(args[1]), &result)) {
    return fail_overflow(context);
  }
  return et_number_store_int(context, args[2], result);
}

#define DEFINE_BINARY(name, int_fn, expression)                       \
  et_status name(et_kernel_context *context, et_value **args) {       \
    const double a = et_scalar_to_double(args[0]);                    \
    const double b = et_scalar_to_double(args[1]);                    \
    return et_number_is_float_pair(args[0], args[1])                  \
               ? et_number_store_double(context, args[2], expression) \
               : store_int_result(context, args, int_fn);             \
  }

DEFINE_BINARY(et_prim_add_scalar, add_int, a + b)
DEFINE_BINARY(et_prim_sub_scalar, sub_int, a - b)
DEFINE_BINARY(et_prim_mul_scalar, mul_int, a *b)

/* Division. A divisor of 0 is an error. */
#define DEFINE_DIVISION(name, int_fn, double_fn)                           \
  et_status name(et_kernel_context *context, et_value **args) {            \
    const double a = et_scalar_to_double(args[0]);                         \
    const double b = et_scalar_to_double(args[1]);                         \
    if (b == 0) {                                                          \
      return fail_zero(context);                                           \
    }                                                                      \
    return et_number_is_float_pair(args[0], args[1])                       \
               ? et_number_store_double(context, args[2], double_fn(a, b)) \
               : store_int_result(context, args, int_fn);                  \
  }

DEFINE_DIVISION(et_prim_floordiv_scalar, floordiv_int, floordiv_double)
DEFINE_DIVISION(et_prim_floordiv_int, floordiv_int, floordiv_double)
DEFINE_DIVISION(et_prim_mod_scalar, mod_int, mod_double)
DEFINE_DIVISION(et_prim_mod_int, mod_int, mod_double)

et_status et_prim_truediv_scalar(et_kernel_context *context, et_value **args) {
  const double divisor = et_scalar_to_double(args[1]);
  if (divisor == 0) {
    return fail_zero(context);
  }
  return et_number_store_double(context, args[2],
                                et_scalar_to_double(args[0]) / divisor);
}

et_status et_prim_neg_scalar(et_kernel_context *context, et_value **args) {
  if (et_number_is_float(args[0])) {
    return et_number_store_double(context, args[1], -args[0]->u.as_double);
  }
  int64_t result = 0;
  if (!sub_int(0, et_scalar_to_int(args[0]), &result)) {
    return fail_overflow(context);
  }
  return et_number_store_int(context, args[1], result);
}
