#include "kernels/util/map.h"

ET_MAP_UNARY_ALL(gt_scalar, x > s[0])

static const et_map gt_scalar = {
    "gt",
    ET_MAP_COMPARE,
    {gt_scalar_int64, gt_scalar_float32, gt_scalar_float64},
    false};

et_status et_op_gt_scalar_out(et_kernel_context *context, et_value **args) {
  return et_map_with_scalar(context, &gt_scalar, args[0], args[1], args[2]);
}
