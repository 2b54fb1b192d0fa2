/* Copies between views, converting elements if the dtypes differ. */
#ifndef EXECUTORCH_KERNELS_COPY_H_
#define EXECUTORCH_KERNELS_COPY_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies each element of `in` to the same index of `out`. Both views have the
 * same shape. Returns INVALID_ARGUMENT, with `what` in the message, if the
 * dtypes differ and cannot be converted. */
et_status et_copy_view(et_kernel_context *context, const char *what,
                       const et_view *in, const et_view *out);

/* Resizes `out` to the shape of `in`, then copies. */
et_status et_copy_view_to(et_kernel_context *context, const char *what,
                          const et_view *in, et_tensor *out);

/* Copies the elements of `in` to `out`, in row-major order of both tensors. The
 * shapes may differ; the numbers of elements and the dtypes must be equal. */
et_status et_copy_reshaped(et_kernel_context *context, const char *what,
                           const et_tensor *in, et_tensor *out);

/* Sets each element of `out` to a scalar (INT, BOOL or DOUBLE). */
et_status et_fill_view(et_kernel_context *context, const char *what,
                       const et_value *number, const et_view *out);

/* Resizes `out` to the shape of `like`, and sets each element to a scalar. */
et_status et_fill_like(et_kernel_context *context, const char *what,
                       const et_value *number, const et_tensor *like,
                       et_tensor *out);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_COPY_H_ */
