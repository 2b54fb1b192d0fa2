#include "executorch/kernels/fold.h"

ET_FOLD_TAKE(add_int64, int64_t, int64, et_wrap_add(r, x))
ET_FOLD_TAKE(add_float64, double, float64, r + x)

static const et_fold sum = {"sum", add_int64, add_float64, 0, 0.0, false};

et_status et_op_sum_intlist_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[4]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "sum", args[3], out));
  return et_fold_apply(context, &sum, args[0]->u.as_tensor, args[1],
                       args[2]->u.as_bool, out);
}
