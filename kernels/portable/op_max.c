#include "kernels/portable/extremum.h"

et_status et_op_max_dim_max(et_kernel_context *context, et_value **args) {
  return et_extremum_along(context, "max", false, args[0]->u.as_tensor, args[1],
                           args[2]->u.as_bool, args[3]->u.as_tensor,
                           args[4]->u.as_tensor);
}
