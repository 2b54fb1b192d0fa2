#include "kernels/util/map.h"

ET_MAP_UNARY_ALL(logical_not, x == 0)

static const et_map logical_not = {
    "logical_not",
    ET_MAP_COMPARE,
    {logical_not_int64, logical_not_float32, logical_not_float64},
    false};

et_status et_op_logical_not_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &logical_not, args[0], args[1]);
}
