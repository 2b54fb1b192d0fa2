/* The first elements of a line in ascending or descending order. */
#ifndef ET_KERNELS_PORTABLE_ORDER_H_
#define ET_KERNELS_PORTABLE_ORDER_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* Sets `values`, unless it is NULL, and `places` (int64) to the first `k` elements of every line of self
 * along `dim` and where they were; they are resized. NaN is greater than any number,
 * and equal elements come in the order of their places. Needs no memory besides the
 * outs; takes O(length * log(k)) comparisons a line. */
et_status et_order_first(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, int64_t k,
                         bool largest, et_tensor *values, et_tensor *places);

#endif /* ET_KERNELS_PORTABLE_ORDER_H_ */
