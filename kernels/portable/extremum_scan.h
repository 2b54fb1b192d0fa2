/* The largest or smallest element so far along a dimension, and its place. */
#ifndef ET_KERNELS_PORTABLE_EXTREMUM_SCAN_H_
#define ET_KERNELS_PORTABLE_EXTREMUM_SCAN_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* `args` are self, dim, values and indices (int64), as cummax and cummin have them. Of
 * equal elements the place is that of the last; from a NaN on the result is NaN. */
et_status et_extremum_scan(et_kernel_context *context, const char *what,
                           bool smallest, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_EXTREMUM_SCAN_H_ */
