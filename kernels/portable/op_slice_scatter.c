#include "kernels/portable/part.h"

et_status et_op_slice_scatter_out(et_kernel_context *context, et_value **args) {
  return et_part_scatter(context, "slice_scatter", et_part_slice,
                         args[0]->u.as_tensor, args[1]->u.as_tensor, &args[2],
                         args[6]->u.as_tensor);
}
