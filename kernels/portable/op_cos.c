#include <math.h>

#include "kernels/util/map.h"

ET_MAP_UNARY(cos_float32, float, float32, cosf(x))
ET_MAP_UNARY(cos_float64, double, float64, cos(x))

static const et_map cos_map = {
    "cos", ET_MAP_FLOATING, {NULL, cos_float32, cos_float64}, false};

et_status et_op_cos_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &cos_map, args[0], args[1]);
}
