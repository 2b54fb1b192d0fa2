#include "kernels/portable/part.h"

et_status et_op_select_copy_int_out(et_kernel_context *context,
                                    et_value **args) {
  return et_part_copy(context, "select_copy", et_part_select,
                      args[0]->u.as_tensor, &args[1], args[3]->u.as_tensor);
}
