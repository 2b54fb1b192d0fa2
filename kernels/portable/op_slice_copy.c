#include "kernels/portable/part.h"

et_status et_op_slice_copy_tensor_out(et_kernel_context *context,
                                      et_value **args) {
  return et_part_copy(context, "slice_copy", et_part_slice,
                      args[0]->u.as_tensor, &args[1], args[5]->u.as_tensor);
}
