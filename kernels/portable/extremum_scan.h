/* Running maximum or minimum along a dimension, with its index. */
#ifndef ET_KERNELS_PORTABLE_EXTREMUM_SCAN_H_
#define ET_KERNELS_PORTABLE_EXTREMUM_SCAN_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* cummax and cummin. `args` are self, dim, values and indices (int64). Equal
 * elements have the index of the last. From the first NaN on, results are
 * NaN. */
et_status et_extremum_scan(et_kernel_context *context, const char *what,
                           bool smallest, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_EXTREMUM_SCAN_H_ */
