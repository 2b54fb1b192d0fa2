#include "kernels/util/convert.h"
#include "kernels/util/map.h"

ET_MAP_BINARY(sub_int64, int64_t, int64, et_wrap_sub(x, et_wrap_mul(s[0], y)))
ET_MAP_BINARY_FLOATING(sub, x - s[0] * y)

static const et_map sub = {
    "sub", ET_MAP_PROMOTE, {sub_int64, sub_float32, sub_float64}, true};

et_status et_op_sub_out(et_kernel_context *context, et_value **args) {
  const et_value *tensors[2] = {args[0], args[1]};
  const et_value *alpha = args[2];
  return et_map_apply(context, &sub, tensors, 2, &alpha, 1,
                      args[3]->u.as_tensor);
}
