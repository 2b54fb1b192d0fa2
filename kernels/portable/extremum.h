/* Index and value of the largest or smallest element of a sequence. */
#ifndef ET_KERNELS_PORTABLE_EXTREMUM_H_
#define ET_KERNELS_PORTABLE_EXTREMUM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/scalar_type.h"

/* The first of the largest (or smallest) elements so far, or the first NaN. */
typedef struct et_extremum {
  int64_t index; /* -1 before the first element */
  double real;   /* value for floating dtypes */
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

#endif /* ET_KERNELS_PORTABLE_EXTREMUM_H_ */
