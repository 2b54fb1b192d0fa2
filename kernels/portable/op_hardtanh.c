#include "executorch/kernels/operator.h"

ET_MAP_ALL(ET_MAP_UNARY, hardtanh, ET_AT_MOST(ET_AT_LEAST(x, s[0]), s[1]))
ET_OPERATOR_MAP(hardtanh, ET_MAP_PROMOTE, ET_RUN_ALL(hardtanh), ET_MAP_FOLLOW)

et_status et_op_hardtanh_out(et_kernel_context *context, et_value **args) {
  const et_value *self = args[0];
  const et_value *limits[2] = {args[1], args[2]};
  return et_map_apply(context, &hardtanh_map, &self, 1, limits, 2,
                      args[3]->u.as_tensor);
}
