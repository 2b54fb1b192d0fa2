/* Shape checks and computations that kernels share. */
#ifndef EXECUTORCH_KERNELS_SHAPE_H_
#define EXECUTORCH_KERNELS_SHAPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *out to `axis`. A negative axis counts from the end. A 0-d tensor has
 * axes 0 and -1, as in PyTorch. */
et_status et_shape_axis(et_kernel_context *context, const char *what,
                        int64_t axis, size_t rank, size_t *out);

/* et_shape_axis for operators that need a dimension. Returns INVALID_ARGUMENT
 * for rank 0. */
et_status et_shape_some_axis(et_kernel_context *context, const char *what,
                             size_t rank, int64_t axis, size_t *out);

/* Sets a flag for each axis in `list`. None and an empty list mean all axes. A
 * repeated axis is an error. */
et_status et_shape_axes(et_kernel_context *context, const char *what,
                        const et_value *list, size_t rank,
                        bool out_axes[ET_MAX_RANK]);

/* Computes the shape to which all `tensors` broadcast. */
et_status et_shape_broadcast(et_kernel_context *context, const char *what,
                             et_tensor *const *tensors, size_t count,
                             int32_t out_sizes[ET_MAX_RANK], size_t *out_rank);

/* Resizes `out` to the shape of `tensor`. */
et_status et_shape_resize_like(et_kernel_context *context, et_tensor *out,
                               const et_tensor *tensor);

/* Returns INVALID_ARGUMENT if the dtypes differ. */
et_status et_shape_same_dtype(et_kernel_context *context, const char *what,
                              const et_tensor *a, const et_tensor *b);

/* Returns INVALID_ARGUMENT, with both dtypes in the message, if `supports` is
 * false. */
et_status et_shape_supports(et_kernel_context *context, const char *what,
                            bool supports, const et_tensor *from,
                            const et_tensor *to);

/* Returns INVALID_ARGUMENT unless the rank of `tensor` is in [rank_low,
 * rank_high]. `what` names the tensor: "conv: weight". */
et_status et_shape_rank(et_kernel_context *context, const char *what,
                        const et_tensor *tensor, size_t rank_low,
                        size_t rank_high);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_SHAPE_H_ */
