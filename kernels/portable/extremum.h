/* Largest and smallest elements, and their indices. */
#ifndef ET_KERNELS_PORTABLE_EXTREMUM_H_
#define ET_KERNELS_PORTABLE_EXTREMUM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/scalar_type.h"

/* ---- Extremum of a sequence ---- */

/* The first of the largest (or smallest) elements so far, or the first NaN. */
typedef struct et_extremum {
  int64_t index; /* -1 before the first element */
  double real;   /* value for floating-point dtypes */
  int64_t integer;
  bool smallest;
} et_extremum;

/* Returns the initial state: -infinity, or infinity for the smallest. */
et_extremum et_extremum_none(bool smallest);

/* Processes `count` elements, `stride` bytes apart, whose indices are index,
 * index + step, ... */
void et_extremum_take(et_extremum *found, et_scalar_type dtype,
                      const uint8_t *in, ptrdiff_t stride, size_t count,
                      int64_t index, int64_t step);

/* Stores the value as an element of `dtype`. */
void et_extremum_store(const et_extremum *found, et_scalar_type dtype,
                       uint8_t *out);

/* ---- argmax, argmin, max.dim and min.dim ---- */

/* argmax and argmin: int64 indices along `dim`. If `dim` is None, the row-major
 * index over all elements. */
et_status et_extremum_indices(et_kernel_context *context, const char *what,
                              bool smallest, const et_tensor *self,
                              const et_value *dim, bool keepdim,
                              et_tensor *out);

/* max.dim and min.dim: values along `dim` and their int64 indices. */
et_status et_extremum_along(et_kernel_context *context, const char *what,
                            bool smallest, const et_tensor *self,
                            const et_value *dim, bool keepdim,
                            et_tensor *values, et_tensor *indices);

/* ---- cummax and cummin ---- */

/* cummax and cummin. `args` are self, dim, values and indices (int64). Equal
 * elements have the index of the last. From the first NaN on, results are
 * NaN. */
et_status et_extremum_scan(et_kernel_context *context, const char *what,
                           bool smallest, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_EXTREMUM_H_ */
