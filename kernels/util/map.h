/* Elementwise operators: one engine for broadcasting, dim orders and dtypes, so
 * that an operator is its formula in the three types kernels compute in. */
#ifndef ET_KERNELS_UTIL_MAP_H_
#define ET_KERNELS_UTIL_MAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/util/convert.h"
#include "runtime/core/kernel.h"

#define ET_MAP_TENSORS 3
#define ET_MAP_SCALARS 2

/* The operator's numbers, in each type it may compute in. */
typedef struct et_map_scalars {
  int64_t int64[ET_MAP_SCALARS];
  float float32[ET_MAP_SCALARS];
  double float64[ET_MAP_SCALARS];
} et_map_scalars;

/* Computes out[i] from in[0][i], in[1][i], ... for i < count. All arrays have
 * the type of the et_compute it is listed under; `out` overlaps no operand. */
typedef void (*et_map_fn)(const void *const *in, void *out, size_t count,
                          const et_map_scalars *scalars);

/* Which dtype an operator computes in, and which its out has. */
typedef enum et_map_rule {
  ET_MAP_PROMOTE,  /* both: the promoted dtype of the operands */
  ET_MAP_FLOATING, /* both: the promoted dtype, float32 if that is integral */
  ET_MAP_COMPARE,  /* computes in the promoted dtype, gives bool */
} et_map_rule;

typedef struct et_map {
  const char *name; /* for messages */
  et_map_rule rule;
  et_map_fn run[ET_COMPUTE_COUNT]; /* by et_compute; NULL: not for that type */
  bool scalars_follow; /* numbers take no part in promotion; integers need
                          integers */
} et_map;

/* Applies `map` to `tensor_count` tensors and `scalar_count` numbers (Scalar,
 * or None, which the map's formula must not read). Resizes `out` to the
 * broadcast shape. An out of another floating dtype than the computed one is
 * converted. */
et_status et_map_apply(et_kernel_context *context, const et_map *map,
                       const et_value *const *tensors, size_t tensor_count,
                       const et_value *const *scalars, size_t scalar_count,
                       et_tensor *out);

/* et_map_apply for the commonest operators. */
et_status et_map_unary(et_kernel_context *context, const et_map *map,
                       const et_value *self, const et_value *out);
et_status et_map_binary(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *out);
et_status et_map_with_scalar(et_kernel_context *context, const et_map *map,
                             const et_value *self, const et_value *scalar,
                             const et_value *out);

/* Define an et_map_fn from a formula of x (and y, z: the operands) and s (the
 * numbers in this type). */
#define ET_MAP_UNARY(fn, type, member, formula)                              \
  static void fn(const void *const *in, void *out, size_t count,             \
                 const et_map_scalars *scalars) {                            \
    const type *restrict a = in[0];                                          \
    type *restrict result = out;                                             \
    const type s[ET_MAP_SCALARS] = {scalars->member[0], scalars->member[1]}; \
    (void)s;                                                                 \
    for (size_t i = 0; i < count; i++) {                                     \
      const type x = a[i];                                                   \
      result[i] = (type)(formula);                                           \
    }                                                                        \
  }

#define ET_MAP_BINARY(fn, type, member, formula)                             \
  static void fn(const void *const *in, void *out, size_t count,             \
                 const et_map_scalars *scalars) {                            \
    const type *restrict a = in[0];                                          \
    const type *restrict b = in[1];                                          \
    type *restrict result = out;                                             \
    const type s[ET_MAP_SCALARS] = {scalars->member[0], scalars->member[1]}; \
    (void)s;                                                                 \
    for (size_t i = 0; i < count; i++) {                                     \
      const type x = a[i];                                                   \
      const type y = b[i];                                                   \
      result[i] = (type)(formula);                                           \
    }                                                                        \
  }

/* The same formula in every type, or in the floating ones. */
#define ET_MAP_UNARY_FLOATING(fn, formula)            \
  ET_MAP_UNARY(fn##_float32, float, float32, formula) \
  ET_MAP_UNARY(fn##_float64, double, float64, formula)
#define ET_MAP_UNARY_ALL(fn, formula)               \
  ET_MAP_UNARY(fn##_int64, int64_t, int64, formula) \
  ET_MAP_UNARY_FLOATING(fn, formula)
#define ET_MAP_BINARY_FLOATING(fn, formula)            \
  ET_MAP_BINARY(fn##_float32, float, float32, formula) \
  ET_MAP_BINARY(fn##_float64, double, float64, formula)
#define ET_MAP_BINARY_ALL(fn, formula)               \
  ET_MAP_BINARY(fn##_int64, int64_t, int64, formula) \
  ET_MAP_BINARY_FLOATING(fn, formula)

#endif /* ET_KERNELS_UTIL_MAP_H_ */
