#include "executorch/kernels/operator.h"

ET_MAP_FLOATS(ET_MAP_UNARY, leaky_relu, x > 0 ? x : x * s[0],
              x > 0 ? x : x * s[0])
ET_OPERATOR_MAP(leaky_relu, ET_MAP_PROMOTE, ET_RUN_FLOATS(leaky_relu),
                ET_MAP_FOLLOW)

et_status et_op_leaky_relu_out(et_kernel_context *context, et_value **args) {
  return et_map_with_scalar(context, &leaky_relu_map, args[0], args[1],
                            args[2]);
}
