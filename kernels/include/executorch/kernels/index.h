/* Index tensors, whose values come from the model or its input. */
#ifndef EXECUTORCH_KERNELS_INDEX_H_
#define EXECUTORCH_KERNELS_INDEX_H_

#include <stdbool.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns INVALID_ARGUMENT unless `indices` is int32 or int64. */
et_status et_index_check_dtype(et_kernel_context *context, const char *what,
                               const et_tensor *indices);

/* Returns INVALID_ARGUMENT unless `indices` is int32 or int64 and each index is
 * in [0, size). If `from_end` is true, indices in [-size, 0) are also valid. */
et_status et_index_check(et_kernel_context *context, const char *what,
                         const et_tensor *indices, int64_t size, bool from_end);

/* Returns element `i`, in row-major order, of an int32 or int64 view. */
int64_t et_index_at(const et_view *indices, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_INDEX_H_ */
