#include "kernels/portable/lines.h"

et_status et_op_topk_values(et_kernel_context *context, et_value **args) {
  return et_order_first(context, "topk", args[0]->u.as_tensor,
                        args[2]->u.as_int, args[1]->u.as_int,
                        args[3]->u.as_bool, args[5]->u.as_tensor,
                        args[6]->u.as_tensor);
}
