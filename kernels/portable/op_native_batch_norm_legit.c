#include "executorch/kernels/args.h"
#include "kernels/portable/normalize.h"

/* Uses the running statistics, and does not update them. */
et_status et_op_native_batch_norm_legit_out(et_kernel_context *context,
                                            et_value **args) {
  const et_batch_norm p = {
      .input = args[0]->u.as_tensor,
      .parameters = {et_arg_tensor(args[1]), et_arg_tensor(args[2])},
      .mean = args[3]->u.as_tensor,
      .variance = args[4]->u.as_tensor,
      .eps = et_scalar_to_double(args[7]),
      .out = args[8]->u.as_tensor,
      .saved_mean = args[9]->u.as_tensor,
      .saved_rstd = args[10]->u.as_tensor};
  ET_CHECK(
      context, !args[5]->u.as_bool,
      "batch_norm: training is not supported; call eval() before the export");
  return et_batch_norm_apply(context, &p);
}

et_status et_op_native_batch_norm_legit_no_stats_out(et_kernel_context *context,
                                                     et_value **args) {
  const et_batch_norm p = {
      .input = args[0]->u.as_tensor,
      .parameters = {et_arg_tensor(args[1]), et_arg_tensor(args[2])},
      .eps = et_scalar_to_double(args[5]),
      .out = args[6]->u.as_tensor,
      .saved_mean = args[7]->u.as_tensor,
      .saved_rstd = args[8]->u.as_tensor};
  return et_batch_norm_apply(context, &p);
}
