#include "kernels/portable/max_pool.h"

et_status et_op_max_pool3d_with_indices_out(et_kernel_context *context,
                                            et_value **args) {
  return et_max_pool_windows(context, "max_pool3d", 3, args);
}
