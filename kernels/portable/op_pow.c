#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

/* Exponentiation by squaring. With a negative exponent, all bases except 1 and
 * -1 yield 0. */
static int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    result = exponent & 1 ? et_wrap_mul(result, base) : result;
    base = et_wrap_mul(base, base);
  }
  return result;
}

ET_OPERATOR_BINARY(pow, ET_MAP_PROMOTE, integer_power(x, y), powf(x, y),
                   pow(x, y))

/* Special cases for common exponents. The roots differ from pow at -0 and
 * -infinity. */
ET_MAP_EACH(ET_MAP_BINARY, square, et_wrap_mul(x, x), x *x, x *x)
ET_MAP_FLOATS(ET_MAP_BINARY, sqrt, sqrtf(x), sqrt(x))
ET_MAP_FLOATS(ET_MAP_BINARY, rsqrt, 1.0f / sqrtf(x), 1.0 / sqrt(x))

static const et_map square = {"pow", ET_MAP_PROMOTE, ET_RUN_ALL(square),
                              ET_MAP_JOIN};
static const et_map root = {"pow", ET_MAP_PROMOTE, ET_RUN_FLOATS(sqrt),
                            ET_MAP_JOIN};
static const et_map reciprocal_root = {"pow", ET_MAP_PROMOTE,
                                       ET_RUN_FLOATS(rsqrt), ET_MAP_JOIN};

static const et_map *map_of(const et_value *exponent) {
  const double value = et_scalar_to_double(exponent);
  if (value == 2.0) {
    return &square;
  }
  if (value == 0.5) {
    return &root;
  }
  return value == -0.5 ? &reciprocal_root : &pow_map;
}

et_status et_op_pow_tensor_scalar_out(et_kernel_context *context,
                                      et_value **args) {
  const et_value *exponent = args[1];
  const bool integral = exponent->tag != ET_VALUE_DOUBLE;
  ET_CHECK(
      context,
      !integral || et_scalar_to_int(exponent) >= 0 ||
          et_scalar_type_is_floating(args[0]->u.as_tensor->dtype),
      "pow: an integer cannot have a negative exponent; cast it to float32");
  return et_map_binary(context, map_of(exponent), args[0], exponent, args[2]);
}

ET_KERNEL_BINARY(pow, tensor_tensor_out)
ET_KERNEL_BINARY(pow, scalar_out)
