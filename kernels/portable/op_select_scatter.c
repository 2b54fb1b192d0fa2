#include "kernels/portable/part.h"

et_status et_op_select_scatter_out(et_kernel_context *context,
                                   et_value **args) {
  return et_part_scatter(context, "select_scatter", et_part_select,
                         args[0]->u.as_tensor, args[1]->u.as_tensor, &args[2],
                         args[4]->u.as_tensor);
}
