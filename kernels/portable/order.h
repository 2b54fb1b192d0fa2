/* Sort and top-k of a line. */
#ifndef ET_KERNELS_PORTABLE_ORDER_H_
#define ET_KERNELS_PORTABLE_ORDER_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* Writes the first `k` elements in sort order of each line of self along `dim`
 * to `values`, and their int64 indices to `places`. Resizes both. `values` may
 * be NULL. NaN is greater than any number, and equal elements are ordered by
 * index. Needs no scratch, and O(length * log(k)) comparisons per line. */
et_status et_order_first(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, int64_t k,
                         bool largest, et_tensor *values, et_tensor *places);

#endif /* ET_KERNELS_PORTABLE_ORDER_H_ */
