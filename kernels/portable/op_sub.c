#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

ET_MAP_EACH(ET_MAP_BINARY, sub, et_wrap_sub(x, et_wrap_mul(s[0], y)),
            x - s[0] * y, x - s[0] * y)
ET_OPERATOR_MAP(sub, ET_MAP_PROMOTE, ET_RUN_ALL(sub), ET_MAP_SCALE)
ET_KERNEL_BINARY_SCALED(sub, out)
ET_KERNEL_BINARY_SCALED(sub, scalar_out)

/* sub with swapped operands. */
et_status et_op_rsub_scalar_out(et_kernel_context *context, et_value **args) {
  return et_map_scaled(context, &sub_map, args[1], args[0], args[2], args[3]);
}
