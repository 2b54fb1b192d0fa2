#include <math.h>

#include "kernels/util/args.h"
#include "kernels/util/convert.h"
#include "kernels/util/loop.h"
#include "kernels/util/map.h"

ET_MAP_BINARY_FLOATING(div, x / y)

static const et_map quotient = {
    "div", ET_MAP_FLOATING, {NULL, div_float32, div_float64}, false};

/* y != 0; the one quotient that does not fit wraps. */
static int64_t divide_trunc(int64_t x, int64_t y) {
  return y == -1 ? et_wrap_sub(0, x) : x / y;
}

static int64_t divide_floor(int64_t x, int64_t y) {
  const int64_t truncated = divide_trunc(x, y);
  const bool exact = et_wrap_mul(truncated, y) == x;
  return exact || (x < 0) == (y < 0) ? truncated : truncated - 1;
}

/* The floor of the exact quotient, which x / y, being rounded, may exceed: from
 * the remainder, as Python's // has it. */
static double divide_floor_real(double x, double y) {
  if (y == 0.0) {
    return x / y;
  }
  const double remainder = fmod(x, y);
  const bool below = remainder != 0.0 && (y < 0.0) != (remainder < 0.0);
  const double quotient = (x - remainder) / y - (below ? 1.0 : 0.0);
  if (quotient == 0.0) {
    return copysign(0.0, x / y);
  }
  const double floored = floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

ET_MAP_BINARY(trunc_int64, int64_t, int64, divide_trunc(x, y))
ET_MAP_BINARY(trunc_float32, float, float32, truncf(x / y))
ET_MAP_BINARY(trunc_float64, double, float64, trunc(x / y))
ET_MAP_BINARY(floor_int64, int64_t, int64, divide_floor(x, y))
ET_MAP_BINARY(floor_float32, float, float32, divide_floor_real(x, y))
ET_MAP_BINARY(floor_float64, double, float64, divide_floor_real(x, y))

static const et_map truncated = {
    "div", ET_MAP_PROMOTE, {trunc_int64, trunc_float32, trunc_float64}, false};
static const et_map floored = {
    "div", ET_MAP_PROMOTE, {floor_int64, floor_float32, floor_float64}, false};

static bool has_zero(const et_tensor *tensor) {
  const et_view view = et_view_of(tensor);
  for (et_loop loop = et_loop_over(&view, 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      int64_t value = 0;
      et_load_run(ET_COMPUTE_INT64, tensor->dtype,
                  loop.at[0] + loop.strides[0] * (ptrdiff_t)i, 0, 1, &value);
      if (value == 0) {
        return true;
      }
    }
  }
  return false;
}

static et_status divide_rounded(et_kernel_context *context, const et_map *map,
                                et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *other = args[1]->u.as_tensor;
  const bool integral = !et_scalar_type_is_floating(self->dtype) &&
                        !et_scalar_type_is_floating(other->dtype);
  ET_CHECK(
      context,
      !integral || (et_dtype_is_computable(other->dtype) && !has_zero(other)),
      "div: integer division by zero");
  return et_map_binary(context, map, args[0], args[1], args[3]);
}

et_status et_op_div_out(et_kernel_context *context, et_value **args) {
  return et_map_binary(context, &quotient, args[0], args[1], args[2]);
}

et_status et_op_div_out_mode(et_kernel_context *context, et_value **args) {
  if (et_arg_is_none(args[2])) {
    return et_map_binary(context, &quotient, args[0], args[1], args[3]);
  }
  const bool floor_mode = et_arg_is_text(args[2], "floor");
  ET_CHECK(context, floor_mode || et_arg_is_text(args[2], "trunc"),
           "div: rounding_mode must be None, 'floor' or 'trunc'");
  return divide_rounded(context, floor_mode ? &floored : &truncated, args);
}
