#include <math.h>

#include "kernels/util/map.h"

ET_MAP_UNARY(tanh_float32, float, float32, tanhf(x))
ET_MAP_UNARY(tanh_float64, double, float64, tanh(x))

static const et_map tanh_map = {
    "tanh", ET_MAP_FLOATING, {NULL, tanh_float32, tanh_float64}, false};

et_status et_op_tanh_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &tanh_map, args[0], args[1]);
}
