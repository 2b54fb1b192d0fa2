#include "kernels/util/convert.h"
#include "kernels/util/map.h"

ET_MAP_BINARY(mul_int64, int64_t, int64, et_wrap_mul(x, y))
ET_MAP_BINARY_FLOATING(mul, x *y)

static const et_map mul = {
    "mul", ET_MAP_PROMOTE, {mul_int64, mul_float32, mul_float64}, false};

ET_MAP_UNARY(scale_int64, int64_t, int64, et_wrap_mul(x, s[0]))
ET_MAP_UNARY_FLOATING(scale, x *s[0])

static const et_map scale = {
    "mul", ET_MAP_PROMOTE, {scale_int64, scale_float32, scale_float64}, false};

et_status et_op_mul_out(et_kernel_context *context, et_value **args) {
  return et_map_binary(context, &mul, args[0], args[1], args[2]);
}

et_status et_op_mul_scalar_out(et_kernel_context *context, et_value **args) {
  return et_map_with_scalar(context, &scale, args[0], args[1], args[2]);
}
