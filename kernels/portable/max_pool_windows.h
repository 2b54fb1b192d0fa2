/* Max-pooling operators with sliding windows. */
#ifndef ET_KERNELS_PORTABLE_MAX_POOL_WINDOWS_H_
#define ET_KERNELS_PORTABLE_MAX_POOL_WINDOWS_H_

#include "executorch/kernel.h"

/* Runs operator `name` over `dims` spatial dimensions. `args` are those of its
 * schema. */
et_status et_max_pool_windows(et_kernel_context *context, const char *name,
                              size_t dims, et_value **args);

#endif /* ET_KERNELS_PORTABLE_MAX_POOL_WINDOWS_H_ */
