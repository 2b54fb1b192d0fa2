#include <math.h>

#include "kernels/util/map.h"

ET_MAP_UNARY(sigmoid_float32, float, float32, 1.0f / (1.0f + expf(-x)))
ET_MAP_UNARY(sigmoid_float64, double, float64, 1.0 / (1.0 + exp(-x)))

static const et_map sigmoid_map = {"sigmoid",
                                   ET_MAP_FLOATING,
                                   {NULL, sigmoid_float32, sigmoid_float64},
                                   false};

et_status et_op_sigmoid_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &sigmoid_map, args[0], args[1]);
}
