/* The distance of two vectors by a norm. */
#ifndef ET_KERNELS_PORTABLE_DISTANCE_H_
#define ET_KERNELS_PORTABLE_DISTANCE_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* INVALID_ARGUMENT unless `p`, infinity included, is a norm's: not negative. */
et_status et_distance_check(et_kernel_context *context, const char *what,
                            double p);

/* The p-norm of the difference of two views of one dimension and size. */
double et_distance(const et_view *a, const et_view *b, double p);

#endif /* ET_KERNELS_PORTABLE_DISTANCE_H_ */
