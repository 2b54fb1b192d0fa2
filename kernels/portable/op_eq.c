#include "kernels/util/map.h"

ET_MAP_UNARY_ALL(eq_scalar, x == s[0])

static const et_map eq_scalar = {
    "eq",
    ET_MAP_COMPARE,
    {eq_scalar_int64, eq_scalar_float32, eq_scalar_float64},
    false};

et_status et_op_eq_scalar_out(et_kernel_context *context, et_value **args) {
  return et_map_with_scalar(context, &eq_scalar, args[0], args[1], args[2]);
}
