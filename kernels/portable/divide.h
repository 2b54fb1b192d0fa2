/* Elementwise division with PyTorch's rounding modes. */
#ifndef ET_KERNELS_PORTABLE_DIVIDE_H_
#define ET_KERNELS_PORTABLE_DIVIDE_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

/* Integer divisions require y != 0. INT64_MIN / -1 wraps. */
static inline int64_t et_divide_trunc(int64_t x, int64_t y) {
  return y == -1 ? et_wrap_sub(0, x) : x / y;
}

static inline int64_t et_divide_floor(int64_t x, int64_t y) {
  const int64_t truncated = et_divide_trunc(x, y);
  const bool exact = et_wrap_mul(truncated, y) == x;
  return exact || (x < 0) == (y < 0) ? truncated : truncated - 1;
}

/* Remainder of truncating division; has the sign of x. */
static inline int64_t et_remainder_trunc(int64_t x, int64_t y) {
  return y == -1 ? 0 : x % y;
}

/* Remainder of floor division; has the sign of y. */
static inline int64_t et_remainder_floor(int64_t x, int64_t y) {
  const int64_t rest = et_remainder_trunc(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static inline double et_remainder_floor_real(double x, double y) {
  const double rest = fmod(x, y);
  return rest != 0.0 && (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}

/* Floor of the exact quotient. Computed from the remainder, as in Python's //,
 * because the rounded x / y can exceed it. */
double et_divide_floor_real(double x, double y);

/* et_map_binary, after a check for integer division by zero. */
et_status et_map_divide(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *out);

/* Defines the kernel et_op_<name>_<overload>, which applies `<name>_map` with
 * et_map_divide. */
#define ET_KERNEL_DIVIDE(name, overload)                                   \
  et_status et_op_##name##_##overload(et_kernel_context *context,          \
                                      et_value **args) {                   \
    return et_map_divide(context, &name##_map, args[0], args[1], args[2]); \
  }

#endif /* ET_KERNELS_PORTABLE_DIVIDE_H_ */
