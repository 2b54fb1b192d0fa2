#include "kernels/portable/lines.h"

et_status et_op_log_softmax_out(et_kernel_context *context, et_value **args) {
  return et_softmax_run(context, "log_softmax", args[0]->u.as_tensor,
                        args[1]->u.as_int, true, args[3]->u.as_tensor);
}
