#include <math.h>

#include "kernels/util/args.h"
#include "kernels/util/convert.h"
#include "kernels/util/map.h"

/* By repeated squaring; exponent >= 0. */
static int64_t integer_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    result = exponent & 1 ? et_wrap_mul(result, base) : result;
    base = et_wrap_mul(base, base);
  }
  return result;
}

ET_MAP_UNARY(pow_int64, int64_t, int64, integer_power(x, s[0]))
ET_MAP_UNARY(pow_float32, float, float32, powf(x, s[0]))
ET_MAP_UNARY(pow_float64, double, float64, pow(x, s[0]))
ET_MAP_UNARY(square_int64, int64_t, int64, et_wrap_mul(x, x))
ET_MAP_UNARY_FLOATING(square, x *x)

/* The roots differ from pow at -0 and -infinity. */
ET_MAP_UNARY(sqrt_float32, float, float32, sqrtf(x))
ET_MAP_UNARY(sqrt_float64, double, float64, sqrt(x))
ET_MAP_UNARY(rsqrt_float32, float, float32, 1.0f / sqrtf(x))
ET_MAP_UNARY(rsqrt_float64, double, float64, 1.0 / sqrt(x))

static const et_map power = {
    "pow", ET_MAP_PROMOTE, {pow_int64, pow_float32, pow_float64}, false};
static const et_map square = {"pow",
                              ET_MAP_PROMOTE,
                              {square_int64, square_float32, square_float64},
                              false};
static const et_map root = {
    "pow", ET_MAP_PROMOTE, {NULL, sqrt_float32, sqrt_float64}, false};
static const et_map reciprocal_root = {
    "pow", ET_MAP_PROMOTE, {NULL, rsqrt_float32, rsqrt_float64}, false};

static const et_map *map_of(const et_value *exponent) {
  const double value = et_scalar_to_double(exponent);
  if (value == 2.0) {
    return &square;
  }
  if (value == 0.5) {
    return &root;
  }
  return value == -0.5 ? &reciprocal_root : &power;
}

et_status et_op_pow_tensor_scalar_out(et_kernel_context *context,
                                      et_value **args) {
  const et_value *exponent = args[1];
  const bool integral = exponent->tag != ET_VALUE_DOUBLE;
  ET_CHECK(context,
           !integral || et_scalar_to_int(exponent) >= 0 ||
               et_scalar_type_is_floating(args[0]->u.as_tensor->dtype),
           "pow: integers to negative powers are not allowed");
  return et_map_with_scalar(context, map_of(exponent), args[0], exponent,
                            args[2]);
}
