/* Complete elementwise operators: from formulas to kernels. */
#ifndef EXECUTORCH_KERNELS_OPERATOR_H_
#define EXECUTORCH_KERNELS_OPERATOR_H_

#include "executorch/kernels/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Defines `<name>_map`. `run` is an ET_RUN_... macro applied to `name`. */
#define ET_OPERATOR_MAP(name, rule, run, parameters) \
  static const et_map name##_map = {#name, rule, run, parameters};

/* Define the kernel et_op_<name>_<overload>, which applies `<name>_map`. The
 * operands are the first argument (UNARY) or the first two (BINARY).
 * BINARY_SCALED also passes the third argument as a parameter. */
#define ET_KERNEL_UNARY(name)                                                 \
  et_status et_op_##name##_out(et_kernel_context *context, et_value **args) { \
    return et_map_unary(context, &name##_map, args[0], args[1]);              \
  }
#define ET_KERNEL_BINARY(name, overload)                                   \
  et_status et_op_##name##_##overload(et_kernel_context *context,          \
                                      et_value **args) {                   \
    return et_map_binary(context, &name##_map, args[0], args[1], args[2]); \
  }
#define ET_KERNEL_BINARY_SCALED(name, overload)                           \
  et_status et_op_##name##_##overload(et_kernel_context *context,         \
                                      et_value **args) {                  \
    return et_map_scaled(context, &name##_map, args[0], args[1], args[2], \
                         args[3]);                                        \
  }

/* Defines a unary operator of x, with a formula for each compute type. */
#define ET_OPERATOR_UNARY(name, rule, int64_formula, float32_formula, \
                          float64_formula)                            \
  ET_MAP_EACH(ET_MAP_UNARY, name, int64_formula, float32_formula,     \
              float64_formula)                                        \
  ET_OPERATOR_MAP(name, rule, ET_RUN_ALL(name), ET_MAP_JOIN)          \
  ET_KERNEL_UNARY(name)

/* Defines a unary operator whose result is floating-point even for integer
 * inputs. */
#define ET_OPERATOR_FLOATING(name, float32_formula, float64_formula)       \
  ET_MAP_FLOATS(ET_MAP_UNARY, name, float32_formula, float64_formula)      \
  ET_OPERATOR_MAP(name, ET_MAP_FLOATING, ET_RUN_FLOATS(name), ET_MAP_JOIN) \
  ET_KERNEL_UNARY(name)

/* Defines a unary operator that <math.h> has under the same name. */
#define ET_OPERATOR_LIBM(name) ET_OPERATOR_FLOATING(name, name##f(x), name(x))

/* Defines the map of a binary operator of x and y. Its kernels are defined
 * separately, one for each overload. */
#define ET_OPERATOR_BINARY(name, rule, int64_formula, float32_formula, \
                           float64_formula)                            \
  ET_MAP_EACH(ET_MAP_BINARY, name, int64_formula, float32_formula,     \
              float64_formula)                                         \
  ET_OPERATOR_MAP(name, rule, ET_RUN_ALL(name), ET_MAP_JOIN)

/* Defines a comparison of x and y, whose result is bool. */
#define ET_OPERATOR_COMPARE(name, formula) \
  ET_OPERATOR_BINARY(name, ET_MAP_COMPARE, formula, formula, formula)

/* Defines a binary operator of integers and bool. */
#define ET_OPERATOR_INTEGER(name, formula)             \
  ET_MAP_BINARY(name##_int64, int64_t, int64, formula) \
  ET_OPERATOR_MAP(name, ET_MAP_PROMOTE, ET_RUN_INT64(name), ET_MAP_JOIN)

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_OPERATOR_H_ */
