/* Pooling to the largest element and its place. */
#ifndef ET_KERNELS_PORTABLE_MAX_POOL_H_
#define ET_KERNELS_PORTABLE_MAX_POOL_H_

#include "kernels/engines/window.h"

/* INVALID_ARGUMENT unless elements can be compared and places are int64. */
et_status et_max_pool_check(et_kernel_context *context, const char *name,
                            const et_tensor *self, const et_tensor *indices);

typedef et_box (*et_box_fn)(const et_window *window, const et_place *place);

/* Resizes `indices` like out, and sets both from the boxes of all windows. Places are
 * numbered in the row-major order of a volume. */
et_status et_max_pool_run(et_kernel_context *context, const et_window *window,
                          size_t dims, et_box_fn box, const et_tensor *out,
                          et_tensor *indices);

#endif /* ET_KERNELS_PORTABLE_MAX_POOL_H_ */
