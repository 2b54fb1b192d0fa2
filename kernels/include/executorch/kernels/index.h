/* Tensors of indices, whose values come from the model or its input. */
#ifndef EXECUTORCH_KERNELS_INDEX_H_
#define EXECUTORCH_KERNELS_INDEX_H_

#include <stdbool.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* INVALID_ARGUMENT unless `indices` is int32 or int64. */
et_status et_index_check_dtype(et_kernel_context *context, const char *what,
                               const et_tensor *indices);

/* INVALID_ARGUMENT unless `indices` is int32 or int64 and every one lies in
 * [0, size), or, when they may count from the end, in [-size, size). */
et_status et_index_check(et_kernel_context *context, const char *what,
                         const et_tensor *indices, int64_t size, bool from_end);

/* Element number `i`, in row-major order, of a view of int32 or int64. */
int64_t et_index_at(const et_view *indices, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_INDEX_H_ */
