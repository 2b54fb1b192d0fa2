#include "executorch/kernels/args.h"
#include "kernels/portable/normalize.h"

et_status et_op_native_batch_norm_legit_no_training_out(
    et_kernel_context *context, et_value **args) {
  const et_batch_norm p = {
      .input = args[0]->u.as_tensor,
      .parameters = {et_arg_tensor(args[1]), et_arg_tensor(args[2])},
      .mean = args[3]->u.as_tensor,
      .variance = args[4]->u.as_tensor,
      .eps = et_scalar_to_double(args[6]),
      .out = args[7]->u.as_tensor,
      .saved_mean = args[8]->u.as_tensor,
      .saved_rstd = args[9]->u.as_tensor};
  return et_batch_norm_apply(context, &p);
}
