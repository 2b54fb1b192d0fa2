/* The p-norm distance of two vectors. */
#ifndef ET_KERNELS_PORTABLE_DISTANCE_H_
#define ET_KERNELS_PORTABLE_DISTANCE_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* Returns INVALID_ARGUMENT if `p` is negative or NaN. Infinity is valid. */
et_status et_distance_check(et_kernel_context *context, const char *what,
                            double p);

/* Returns the p-norm of the difference of two one-dimensional views of equal
 * size. */
double et_distance(const et_view *a, const et_view *b, double p);

#endif /* ET_KERNELS_PORTABLE_DISTANCE_H_ */
