/* Elements of complex tensors, computed in double. */
#ifndef ET_KERNELS_PORTABLE_COMPLEX_H_
#define ET_KERNELS_PORTABLE_COMPLEX_H_

#include <stdint.h>

#include "executorch/scalar_type.h"

/* An element of a complex dtype, of float32 or of float64. */
et_complex128 et_complex_load(et_scalar_type dtype, const uint8_t *at);

/* Of a real dtype, the real part. */
void et_complex_store(et_scalar_type dtype, uint8_t *at, et_complex128 value);

#endif /* ET_KERNELS_PORTABLE_COMPLEX_H_ */
