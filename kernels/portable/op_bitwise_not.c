#include "executorch/kernels/map.h"

ET_MAP_UNARY(complement_int64, int64_t, int64, ~x)
ET_MAP_UNARY(opposite_int64, int64_t, int64, x == 0)

static const et_map complement = {"bitwise_not", ET_MAP_PROMOTE,
                                  ET_RUN_INT64(complement), ET_MAP_JOIN};
static const et_map opposite = {"bitwise_not", ET_MAP_PROMOTE,
                                ET_RUN_INT64(opposite), ET_MAP_JOIN};

et_status et_op_bitwise_not_out(et_kernel_context *context, et_value **args) {
  const bool is_bool = args[0]->u.as_tensor->dtype == ET_SCALAR_TYPE_BOOL;
  return et_map_unary(context, is_bool ? &opposite : &complement, args[0],
                      args[1]);
}
