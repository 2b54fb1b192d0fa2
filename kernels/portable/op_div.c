#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/operator.h"
#include "kernels/portable/divide.h"

ET_MAP_FLOATS(ET_MAP_BINARY, div, x / y, x / y)
ET_OPERATOR_MAP(div, ET_MAP_FLOATING, ET_RUN_FLOATS(div), ET_MAP_FACTOR)
ET_KERNEL_BINARY(div, out)
ET_KERNEL_BINARY(div, scalar_out)

ET_MAP_EACH(ET_MAP_BINARY, truncated, et_divide_trunc(x, y), truncf(x / y),
            trunc(x / y))
ET_MAP_EACH(ET_MAP_BINARY, floored, et_divide_floor(x, y),
            et_divide_floor_real(x, y), et_divide_floor_real(x, y))

static const et_map truncated = {"div", ET_MAP_PROMOTE, ET_RUN_ALL(truncated),
                                 ET_MAP_FACTOR};
static const et_map floored = {"div", ET_MAP_PROMOTE, ET_RUN_ALL(floored),
                               ET_MAP_FACTOR};

/* The divisor is a scalar or a tensor. */
static et_status divide(et_kernel_context *context, et_value **args) {
  const et_value *mode = args[2];
  if (et_arg_is_none(mode)) {
    return et_map_binary(context, &div_map, args[0], args[1], args[3]);
  }
  const bool floor_mode = et_arg_is_text(mode, "floor");
  ET_CHECK(context, floor_mode || et_arg_is_text(mode, "trunc"),
           "div: rounding_mode is invalid; use None, 'floor' or 'trunc'");
  return et_map_divide(context, floor_mode ? &floored : &truncated, args[0],
                       args[1], args[3]);
}

et_status et_op_div_out_mode(et_kernel_context *context, et_value **args) {
  return divide(context, args);
}

et_status et_op_div_scalar_mode_out(et_kernel_context *context,
                                    et_value **args) {
  return divide(context, args);
}
