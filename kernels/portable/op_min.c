#include "kernels/portable/extremum.h"

et_status et_op_min_dim_min(et_kernel_context *context, et_value **args) {
  return et_extremum_along(context, "min", true, args[0]->u.as_tensor, args[1],
                           args[2]->u.as_bool, args[3]->u.as_tensor,
                           args[4]->u.as_tensor);
}
