/* Elements of complex tensors, computed in double. */
#ifndef ET_KERNELS_PORTABLE_COMPLEX_H_
#define ET_KERNELS_PORTABLE_COMPLEX_H_

#include <stdint.h>

#include "executorch/kernels/view.h"
#include "executorch/scalar_type.h"

/* Loads an element of complex64 or complex128, or of a real dtype. */
et_complex128 et_complex_load(et_scalar_type dtype, const uint8_t *at);

/* Stores an element. For a real dtype, stores the real part. */
void et_complex_store(et_scalar_type dtype, uint8_t *at, et_complex128 value);

/* Views the real and imaginary parts of a complex view as a last dimension of
 * size 2. `dtype` is the dtype of the parts. The rank must be less than
 * ET_MAX_RANK. */
et_view et_complex_parts(const et_view *view, et_scalar_type dtype);

#endif /* ET_KERNELS_PORTABLE_COMPLEX_H_ */
