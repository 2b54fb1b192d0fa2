#include "kernels/util/map.h"

/* A NaN is smaller and greater than nothing, and stays. */
ET_MAP_UNARY_ALL(hardtanh, x < s[0] ? s[0] : (x > s[1] ? s[1] : x))

static const et_map hardtanh = {
    "hardtanh",
    ET_MAP_PROMOTE,
    {hardtanh_int64, hardtanh_float32, hardtanh_float64},
    false};

et_status et_op_hardtanh_out(et_kernel_context *context, et_value **args) {
  const et_value *self = args[0];
  const et_value *limits[2] = {args[1], args[2]};
  return et_map_apply(context, &hardtanh, &self, 1, limits, 2,
                      args[3]->u.as_tensor);
}
