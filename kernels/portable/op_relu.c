#include "kernels/util/map.h"

ET_MAP_UNARY_ALL(relu, x < 0 ? 0 : x)

static const et_map relu = {
    "relu", ET_MAP_PROMOTE, {relu_int64, relu_float32, relu_float64}, false};

et_status et_op_relu_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &relu, args[0], args[1]);
}
