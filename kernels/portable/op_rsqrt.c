#include <math.h>

#include "kernels/util/map.h"

ET_MAP_UNARY(rsqrt_float32, float, float32, 1.0f / sqrtf(x))
ET_MAP_UNARY(rsqrt_float64, double, float64, 1.0 / sqrt(x))

static const et_map rsqrt_map = {
    "rsqrt", ET_MAP_FLOATING, {NULL, rsqrt_float32, rsqrt_float64}, false};

et_status et_op_rsqrt_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &rsqrt_map, args[0], args[1]);
}
