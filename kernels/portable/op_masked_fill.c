#include "executorch/kernels/args.h"
#include "executorch/kernels/operator.h"

ET_MAP_ALL(ET_MAP_BINARY, masked_fill, y != 0 ? s[0] : x)
ET_OPERATOR_MAP(masked_fill, ET_MAP_PROMOTE, ET_RUN_ALL(masked_fill),
                ET_MAP_FOLLOW)

et_status et_op_masked_fill_scalar_out(et_kernel_context *context,
                                       et_value **args) {
  ET_CHECK(context, args[1]->u.as_tensor->dtype == ET_SCALAR_TYPE_BOOL,
           "masked_fill: the mask is not bool; cast it to bool");
  return et_map_scaled(context, &masked_fill_map, args[0], args[1], args[2],
                       args[3]);
}
