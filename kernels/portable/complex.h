/* Elements of complex tensors, computed in double. */
#ifndef ET_KERNELS_PORTABLE_COMPLEX_H_
#define ET_KERNELS_PORTABLE_COMPLEX_H_

#include <stdint.h>

#include "executorch/kernels/view.h"
#include "executorch/scalar_type.h"

/* An element of a complex dtype, of float32 or of float64. */
et_complex128 et_complex_load(et_scalar_type dtype, const uint8_t *at);

/* Of a real dtype, the real part. */
void et_complex_store(et_scalar_type dtype, uint8_t *at, et_complex128 value);

/* The real and imaginary parts of a complex view, in a dimension of 2 behind the others.
 * `dtype` is that of the parts; the rank of the view is below ET_MAX_RANK. */
et_view et_complex_parts(const et_view *view, et_scalar_type dtype);

#endif /* ET_KERNELS_PORTABLE_COMPLEX_H_ */
