#include "executorch/kernels/fold.h"

ET_FOLD_TAKE(multiply_int64, int64_t, int64, et_wrap_mul(r, x))
ET_FOLD_TAKE(multiply_float64, double, float64, r *x)

static const et_fold prod = {"prod", multiply_int64, multiply_float64, 1,
                             1.0,    false};

et_status et_op_prod_int_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[4]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "prod", args[3], out));
  return et_fold_apply(context, &prod, args[0]->u.as_tensor, args[1],
                       args[2]->u.as_bool, out);
}

et_status et_op_prod_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "prod", args[1], out));
  return et_fold_apply(context, &prod, args[0]->u.as_tensor, NULL, false, out);
}
