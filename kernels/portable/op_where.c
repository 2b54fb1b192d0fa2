#include "executorch/kernels/args.h"
#include "executorch/kernels/operator.h"

ET_MAP_ALL(ET_MAP_TERNARY, where, x != 0 ? y : z)
ET_OPERATOR_MAP(where, ET_MAP_PROMOTE, ET_RUN_ALL(where), ET_MAP_JOIN)

et_status et_op_where_self_out(et_kernel_context *context, et_value **args) {
  const et_value *operands[3] = {args[0], args[1], args[2]};
  ET_CHECK(context, args[0]->u.as_tensor->dtype == ET_SCALAR_TYPE_BOOL,
           "where: the condition is not bool; cast it to bool");
  return et_map_apply(context, &where_map, operands, 3, NULL, 0,
                      args[3]->u.as_tensor);
}
