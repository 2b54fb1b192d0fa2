#include <math.h>

#include "executorch/kernels/operator.h"

/* s holds alpha, scale and input_scale. */
ET_MAP_FLOATS(ET_MAP_UNARY, elu,
              x < 0 ? expm1f(x * s[2]) * (s[0] * s[1]) : x * s[1],
              x < 0 ? expm1(x * s[2]) * (s[0] * s[1]) : x * s[1])
ET_OPERATOR_MAP(elu, ET_MAP_PROMOTE, ET_RUN_FLOATS(elu), ET_MAP_FOLLOW)

et_status et_op_elu_out(et_kernel_context *context, et_value **args) {
  const et_value *self = args[0];
  const et_value *parameters[3] = {args[1], args[2], args[3]};
  return et_map_apply(context, &elu_map, &self, 1, parameters, 3,
                      args[4]->u.as_tensor);
}
