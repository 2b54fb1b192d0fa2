/* Max pooling with indices. */
#ifndef ET_KERNELS_PORTABLE_MAX_POOL_H_
#define ET_KERNELS_PORTABLE_MAX_POOL_H_

#include "kernels/engines/window.h"

/* Returns INVALID_ARGUMENT unless elements can be compared and indices are
 * int64. */
et_status et_max_pool_check(et_kernel_context *context, const char *name,
                            const et_tensor *self, const et_tensor *indices);

typedef et_box (*et_box_fn)(const et_window *window,
                            const et_position *position);

/* Resizes `indices` like out, and computes both over all windows. Indices are
 * row-major within a volume. */
et_status et_max_pool_run(et_kernel_context *context, const et_window *window,
                          size_t dims, et_box_fn box, const et_tensor *out,
                          et_tensor *indices);

/* Runs operator `name` with sliding windows over `dims` spatial dimensions.
 * `args` are those of its schema. */
et_status et_max_pool_windows(et_kernel_context *context, const char *name,
                              size_t dims, et_value **args);

#endif /* ET_KERNELS_PORTABLE_MAX_POOL_H_ */
