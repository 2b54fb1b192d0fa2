/* Reductions to the place of the largest or smallest element. */
#ifndef ET_KERNELS_PORTABLE_EXTREMUM_REDUCE_H_
#define ET_KERNELS_PORTABLE_EXTREMUM_REDUCE_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* argmax and argmin: places (int64) along `dim`, or, for None, in the row-major
 * order of all elements. */
et_status et_extremum_places(et_kernel_context *context, const char *what,
                             bool smallest, const et_tensor *self,
                             const et_value *dim, bool keepdim, et_tensor *out);

/* max.dim and min.dim: values along `dim` and their places (int64). */
et_status et_extremum_along(et_kernel_context *context, const char *what,
                            bool smallest, const et_tensor *self,
                            const et_value *dim, bool keepdim,
                            et_tensor *values, et_tensor *places);

#endif /* ET_KERNELS_PORTABLE_EXTREMUM_REDUCE_H_ */
