/* Elementwise operators. One loop handles broadcasting, dim orders and dtypes,
 * so that an operator consists of its formula in each compute type. */
#ifndef EXECUTORCH_KERNELS_MAP_H_
#define EXECUTORCH_KERNELS_MAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Clamping as in PyTorch. A NaN element stays NaN, and a NaN limit yields NaN.
 * If the lower limit exceeds the upper one, the result is the upper limit. */
#define ET_AT_LEAST(x, low) ((low) > (x) || (low) != (low) ? (low) : (x))
#define ET_AT_MOST(x, high) ((high) < (x) || (high) != (high) ? (high) : (x))

#define ET_MAP_OPERANDS 3
#define ET_MAP_SCALARS 3

/* The operator's parameters, in each compute type. */
typedef struct et_map_scalars {
  int64_t int64[ET_MAP_SCALARS];
  float float32[ET_MAP_SCALARS];
  double float64[ET_MAP_SCALARS];
} et_map_scalars;

/* Computes out[i] from in[0][i], in[1][i], ... for i < count. All arrays have
 * the compute type of the function's entry in et_map.run. `out` overlaps no
 * operand. */
typedef void (*et_map_fn)(const void *const *in, void *out, size_t count,
                          const et_map_scalars *scalars);

/* How the compute dtype and the result dtype depend on the promoted dtype. */
typedef enum et_map_rule {
  ET_MAP_PROMOTE,  /* both are the promoted dtype */
  ET_MAP_FLOATING, /* both are the promoted dtype, or float32 if that is
                    * integral */
  ET_MAP_COMPARE,  /* computes in the promoted dtype; the result is bool */
} et_map_rule;

/* How the operator's parameters relate to the compute dtype. */
typedef enum et_map_parameters {
  ET_MAP_JOIN,   /* they take part in promotion */
  ET_MAP_FOLLOW, /* they are converted to it */
  ET_MAP_SCALE,  /* like ET_MAP_FOLLOW, but a float parameter with an integer
                  * dtype is an error */
  ET_MAP_FACTOR, /* no parameters; a 0-d second operand is not rounded to the
                  * compute dtype before use */
} et_map_parameters;

typedef struct et_map {
  const char *name; /* for messages */
  et_map_rule rule;
  et_map_fn run[ET_COMPUTE_COUNT]; /* indexed by et_compute; NULL: not
                                    * supported */
  et_map_parameters parameters;
} et_map;

/* Applies `map` to `operand_count` tensors or scalars. They are broadcast and
 * converted to the compute dtype. The map also receives `scalar_count`
 * parameters, each a Scalar or None; a formula must not read a None parameter.
 * Resizes `out` to the broadcast shape. The result is converted if `out` has
 * a different floating-point dtype. */
et_status et_map_apply(et_kernel_context *context, const et_map *map,
                       const et_value *const *operands, size_t operand_count,
                       const et_value *const *scalars, size_t scalar_count,
                       et_tensor *out);

/* et_map_apply for the most common signatures. */
et_status et_map_unary(et_kernel_context *context, const et_map *map,
                       const et_value *self, const et_value *out);
et_status et_map_binary(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *out);
et_status et_map_scaled(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *scalar, const et_value *out);
et_status et_map_with_scalar(et_kernel_context *context, const et_map *map,
                             const et_value *self, const et_value *scalar,
                             const et_value *out);

/* Define an et_map_fn from a formula. The formula can use the operands x, y and
 * z and the parameters s, all of type `type`. `member` is the field of
 * et_map_scalars for that type. */
#define ET_MAP_UNARY(fn, type, member, formula) \
  ET_MAP_LOOP(fn, type, member, ET_MAP_X(type), formula)
#define ET_MAP_BINARY(fn, type, member, formula) \
  ET_MAP_LOOP(fn, type, member, ET_MAP_X(type) ET_MAP_Y(type), formula)
#define ET_MAP_TERNARY(fn, type, member, formula)                             \
  ET_MAP_LOOP(fn, type, member, ET_MAP_X(type) ET_MAP_Y(type) ET_MAP_Z(type), \
              formula)

/* The shared loop. A formula need not use all of its variables. */
#define ET_MAP_LOOP(fn, type, member, variables, formula)                   \
  static void fn(const void *const *in, void *out, size_t count,            \
                 const et_map_scalars *scalars) {                           \
    const type *restrict a = in[0];                                         \
    const type *restrict b = in[1];                                         \
    const type *restrict c = in[2];                                         \
    const type s[ET_MAP_SCALARS] = {scalars->member[0], scalars->member[1], \
                                    scalars->member[2]};                    \
    type *restrict result = out;                                            \
    (void)b, (void)c, (void)s;                                              \
    for (size_t i = 0; i < count; i++) {                                    \
      variables result[i] = (type)(formula);                                \
    }                                                                       \
  }
#define ET_MAP_X(type) \
  const type x = a[i]; \
  (void)x;
#define ET_MAP_Y(type) \
  const type y = b[i]; \
  (void)y;
#define ET_MAP_Z(type) \
  const type z = c[i]; \
  (void)z;

/* Define the functions of the floating-point types, or of all types, with one
 * formula for each type or a common formula. DEFINE is ET_MAP_UNARY,
 * ET_MAP_BINARY or ET_MAP_TERNARY. */
#define ET_MAP_FLOATS(DEFINE, fn, float32_formula, float64_formula) \
  DEFINE(fn##_float32, float, float32, float32_formula)             \
  DEFINE(fn##_float64, double, float64, float64_formula)
#define ET_MAP_EACH(DEFINE, fn, int64_formula, float32_formula, \
                    float64_formula)                            \
  DEFINE(fn##_int64, int64_t, int64, int64_formula)             \
  ET_MAP_FLOATS(DEFINE, fn, float32_formula, float64_formula)
#define ET_MAP_ALL(DEFINE, fn, formula) \
  ET_MAP_EACH(DEFINE, fn, formula, formula, formula)

/* Initializers of et_map.run for these functions. */
#define ET_RUN_ALL(fn) {fn##_int64, fn##_float32, fn##_float64}
#define ET_RUN_FLOATS(fn) {NULL, fn##_float32, fn##_float64}
#define ET_RUN_INT64(fn) {fn##_int64, NULL, NULL}

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_MAP_H_ */
