/* In-place addition to an element. */
#ifndef ET_KERNELS_PORTABLE_ACCUMULATE_H_
#define ET_KERNELS_PORTABLE_ACCUMULATE_H_

#include <stdint.h>

#include "executorch/scalar_type.h"

/* Adds the element at `from` to the one at `to`. Both have `dtype`. Integers
 * wrap; bool is a logical or. */
void et_accumulate(et_scalar_type dtype, const uint8_t *from, uint8_t *to);

/* et_accumulate as an et_along_fn. */
void et_accumulate_along(et_scalar_type dtype, uint8_t *other,
                         uint8_t *element);

#endif /* ET_KERNELS_PORTABLE_ACCUMULATE_H_ */
