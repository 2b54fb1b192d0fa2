/* Copies between views, with conversion where their dtypes differ. */
#ifndef EXECUTORCH_KERNELS_COPY_H_
#define EXECUTORCH_KERNELS_COPY_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes every element of `in` to the same place of `out`; both have the same
 * shape. INVALID_ARGUMENT, naming `what`, when dtypes differ and one of them
 * cannot be converted. */
et_status et_copy_view(et_kernel_context *context, const char *what,
                       const et_view *in, const et_view *out);

/* Resizes `out` to the shape of `in` and copies. */
et_status et_copy_view_to(et_kernel_context *context, const char *what,
                          const et_view *in, et_tensor *out);

/* Sets `out`, of any shape but the same number of elements, to the elements of
 * `in` in row-major order of each. */
et_status et_copy_reshaped(et_kernel_context *context, const char *what,
                           const et_tensor *in, et_tensor *out);

/* Sets every element of `out` to a number (INT, BOOL or DOUBLE). */
et_status et_fill_view(et_kernel_context *context, const char *what,
                       const et_value *number, const et_view *out);

/* Resizes `out` to the shape of `like` and sets every element to a number. */
et_status et_fill_like(et_kernel_context *context, const char *what,
                       const et_value *number, const et_tensor *like,
                       et_tensor *out);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_COPY_H_ */
