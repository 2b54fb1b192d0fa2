#include "kernels/portable/lines.h"

et_status et_op_softmax_out(et_kernel_context *context, et_value **args) {
  return et_softmax_run(context, "softmax", args[0]->u.as_tensor,
                        args[1]->u.as_int, false, args[3]->u.as_tensor);
}
