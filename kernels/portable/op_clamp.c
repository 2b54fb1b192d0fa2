#include "executorch/kernels/args.h"
#include "executorch/kernels/map.h"

ET_MAP_ALL(ET_MAP_BINARY, at_least, ET_AT_LEAST(x, y))
ET_MAP_ALL(ET_MAP_BINARY, at_most, ET_AT_MOST(x, y))
ET_MAP_ALL(ET_MAP_TERNARY, between, ET_AT_MOST(ET_AT_LEAST(x, y), z))

static const et_map at_least = {"clamp", ET_MAP_PROMOTE, ET_RUN_ALL(at_least),
                                ET_MAP_JOIN};
static const et_map at_most = {"clamp", ET_MAP_PROMOTE, ET_RUN_ALL(at_most),
                               ET_MAP_JOIN};
static const et_map between = {"clamp", ET_MAP_PROMOTE, ET_RUN_ALL(between),
                               ET_MAP_JOIN};

/* The limits are scalars or tensors. */
static et_status clamp(et_kernel_context *context, et_value **args) {
  const et_value *operands[3] = {args[0], args[1], args[2]};
  const bool has_min = !et_arg_is_none(args[1]);
  const bool has_max = !et_arg_is_none(args[2]);
  ET_CHECK(context, has_min || has_max,
           "clamp: both limits are None; pass min, max or both");
  if (has_min && has_max) {
    return et_map_apply(context, &between, operands, 3, NULL, 0,
                        args[3]->u.as_tensor);
  }
  return has_min ? et_map_binary(context, &at_least, args[0], args[1], args[3])
                 : et_map_binary(context, &at_most, args[0], args[2], args[3]);
}

et_status et_op_clamp_out(et_kernel_context *context, et_value **args) {
  return clamp(context, args);
}

et_status et_op_clamp_tensor_out(et_kernel_context *context, et_value **args) {
  return clamp(context, args);
}
