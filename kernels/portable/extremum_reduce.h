/* Reductions to the index of the largest or smallest element. */
#ifndef ET_KERNELS_PORTABLE_EXTREMUM_REDUCE_H_
#define ET_KERNELS_PORTABLE_EXTREMUM_REDUCE_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* argmax and argmin: int64 indices along `dim`. If `dim` is None, the row-major
 * index over all elements. */
et_status et_extremum_places(et_kernel_context *context, const char *what,
                             bool smallest, const et_tensor *self,
                             const et_value *dim, bool keepdim, et_tensor *out);

/* max.dim and min.dim: values along `dim` and their int64 indices. */
et_status et_extremum_along(et_kernel_context *context, const char *what,
                            bool smallest, const et_tensor *self,
                            const et_value *dim, bool keepdim,
                            et_tensor *values, et_tensor *places);

#endif /* ET_KERNELS_PORTABLE_EXTREMUM_REDUCE_H_ */
