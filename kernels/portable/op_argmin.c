#include "kernels/portable/extremum.h"

et_status et_op_argmin_out(et_kernel_context *context, et_value **args) {
  return et_extremum_indices(context, "argmin", true, args[0]->u.as_tensor,
                             args[1], args[2]->u.as_bool, args[3]->u.as_tensor);
}
