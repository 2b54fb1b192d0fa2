/* Converts one element of a tensor of any dtype to double. */
#ifndef ET_RUNTIME_REPLAY_ELEMENT_H_
#define ET_RUNTIME_REPLAY_ELEMENT_H_

#include "executorch/scalar_type.h"

/* Returns the element at `data`, which may be unaligned. Integers beyond 2^53
 * are rounded. */
double et_element_load(et_scalar_type dtype, const void *data);

#endif /* ET_RUNTIME_REPLAY_ELEMENT_H_ */
