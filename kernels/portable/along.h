/* Elements that a tensor of indices names along one dimension: what gather and
 * the scatters share. */
#ifndef ET_KERNELS_PORTABLE_ALONG_H_
#define ET_KERNELS_PORTABLE_ALONG_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* Checks `dim` and `index` against `self`: as many dimensions, no size larger
 * except along `dim`, and every value in [0, size of self there). An index
 * without elements fits any tensor. */
et_status et_along_check(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *dim,
                         const et_tensor *index, size_t *axis);

/* Works on an element of `other` and the element of self it belongs to. */
typedef void (*et_along_fn)(et_scalar_type dtype, uint8_t *other,
                            uint8_t *element);

/* Calls `fn` for every place of `index`, of whose size `other` has at least as
 * much in each dimension, in the memory order of `index`. */
void et_along_run(const et_tensor *index, const et_view *other,
                  const et_view *self, size_t axis, et_along_fn fn);

/* INVALID_ARGUMENT unless `src` has the dtype of self and at least the size of
 * `index` in each dimension. */
et_status et_along_check_source(et_kernel_context *context, const char *what,
                                const et_tensor *self, const et_tensor *index,
                                const et_view *src);

/* Sets `out` to self, and calls `fn` on it with the elements of `src`, a view
 * of the dtype of self. `arguments` are self, dim and index. */
et_status et_along_scatter(et_kernel_context *context, const char *what,
                           et_value *const *arguments, const et_view *src,
                           et_along_fn fn, et_tensor *out);

/* An et_along_fn: the element becomes that of other. */
void et_along_set(et_scalar_type dtype, uint8_t *other, uint8_t *element);

#endif /* ET_KERNELS_PORTABLE_ALONG_H_ */
