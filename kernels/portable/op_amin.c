#include <math.h>

#include "executorch/kernels/fold.h"

/* x != x is true only for NaN, which propagates. */
ET_FOLD_TAKE(take_int64, int64_t, int64, x < r ? x : r)
ET_FOLD_TAKE(take_float64, double, float64, x < r || x != x ? x : r)

static const et_fold smallest = {"amin",    take_int64, take_float64,
                                 INT64_MAX, INFINITY,   true};

et_status et_op_amin_out(et_kernel_context *context, et_value **args) {
  return et_fold_same(context, &smallest, args[0]->u.as_tensor, args[1],
                      args[2]->u.as_bool, args[3]->u.as_tensor);
}

et_status et_op_min_unary_out(et_kernel_context *context, et_value **args) {
  return et_fold_same(context, &smallest, args[0]->u.as_tensor, NULL, false,
                      args[1]->u.as_tensor);
}
