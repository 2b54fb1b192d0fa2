#include <math.h>

#include "kernels/util/map.h"

ET_MAP_UNARY(sin_float32, float, float32, sinf(x))
ET_MAP_UNARY(sin_float64, double, float64, sin(x))

static const et_map sin_map = {
    "sin", ET_MAP_FLOATING, {NULL, sin_float32, sin_float64}, false};

et_status et_op_sin_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &sin_map, args[0], args[1]);
}
