/* Access to elements by an index tensor along one dimension, for gather and
 * scatter. */
#ifndef ET_KERNELS_PORTABLE_ALONG_H_
#define ET_KERNELS_PORTABLE_ALONG_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* Checks `dim` and `index` against `self`. The ranks must be equal, no size of
 * `index` except along `dim` may be larger, and each index must be in [0, size
 * along dim). An empty index is always valid. */
et_status et_along_check(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *dim,
                         const et_tensor *index, size_t *axis);

/* Processes an element of `other` and the corresponding element of self. */
typedef void (*et_along_fn)(et_scalar_type dtype, uint8_t *other,
                            uint8_t *element);

/* Calls `fn` for each element of `index`, in its memory order. `other` must be
 * at least as large as `index` in each dimension. */
void et_along_run(const et_tensor *index, const et_view *other,
                  const et_view *self, size_t axis, et_along_fn fn);

/* Returns INVALID_ARGUMENT unless `src` has the dtype of self and is at least
 * as large as `index` in each dimension. */
et_status et_along_check_source(et_kernel_context *context, const char *what,
                                const et_tensor *self, const et_tensor *index,
                                const et_view *src);

/* Copies self to `out`, then calls `fn` on it with the elements of `src`, a
 * view of the same dtype. `arguments` are self, dim and index. */
et_status et_along_scatter(et_kernel_context *context, const char *what,
                           et_value *const *arguments, const et_view *src,
                           et_along_fn fn, et_tensor *out);

/* An et_along_fn that sets the element to that of `other`. */
void et_along_set(et_scalar_type dtype, uint8_t *other, uint8_t *element);

#endif /* ET_KERNELS_PORTABLE_ALONG_H_ */
