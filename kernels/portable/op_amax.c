#include <math.h>

#include "executorch/kernels/fold.h"

/* x != x is true only for NaN, which propagates. */
ET_FOLD_TAKE(take_int64, int64_t, int64, x > r ? x : r)
ET_FOLD_TAKE(take_float64, double, float64, x > r || x != x ? x : r)

static const et_fold largest = {"amax",    take_int64, take_float64,
                                INT64_MIN, -INFINITY,  true};

et_status et_op_amax_out(et_kernel_context *context, et_value **args) {
  return et_fold_same(context, &largest, args[0]->u.as_tensor, args[1],
                      args[2]->u.as_bool, args[3]->u.as_tensor);
}

et_status et_op_max_unary_out(et_kernel_context *context, et_value **args) {
  return et_fold_same(context, &largest, args[0]->u.as_tensor, NULL, false,
                      args[1]->u.as_tensor);
}
