/* Conversions between ints and floats; args are [a, out]. */
#include <math.h>

#include "runtime/prim/number.h"

et_status et_prim_sym_float_scalar(et_kernel_context *context,
                                   et_value **args) {
  return et_number_store_double(context, args[1], et_scalar_to_double(args[0]));
}

/* An int is copied, because not every int has an exact double. */
#define DEFINE_ROUNDING(name, round_fn)                                    \
  et_status name(et_kernel_context *context, et_value **args) {            \
    return et_number_is_float(args[0])                                     \
               ? et_number_store_truncated(context, args[1],               \
                                           round_fn(args[0]->u.as_double)) \
               : et_number_store_int(context, args[1],                     \
                                     et_scalar_to_int(args[0]));           \
  }

/* Rounds half to even, as in Python. */
DEFINE_ROUNDING(et_prim_sym_int_scalar, trunc)
DEFINE_ROUNDING(et_prim_trunc_scalar, trunc)
DEFINE_ROUNDING(et_prim_ceil_scalar, ceil)
DEFINE_ROUNDING(et_prim_round_scalar, nearbyint)
