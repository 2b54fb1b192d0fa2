/* Views of slices and selections, created from the operators' arguments. */
#ifndef ET_KERNELS_PORTABLE_PART_H_
#define ET_KERNELS_PORTABLE_PART_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* Sets `part` to whole[start:end:step] along a dimension. `arguments` are dim,
 * start, end and step. None means the start or the end of the dimension. The
 * bounds are clamped. */
et_status et_part_slice(et_kernel_context *context, const char *what,
                        const et_view *whole, et_value *const *arguments,
                        et_view *part);

/* Sets `part` to whole[index] along a dimension, without that dimension.
 * `arguments` are dim and index. A negative index counts from the end. */
et_status et_part_select(et_kernel_context *context, const char *what,
                         const et_view *whole, et_value *const *arguments,
                         et_view *part);

/* et_part_slice or et_part_select. */
typedef et_status (*et_part_fn)(et_kernel_context *context, const char *what,
                                const et_view *whole,
                                et_value *const *arguments, et_view *part);

/* Copies a part of `self` to `out`. */
et_status et_part_copy(et_kernel_context *context, const char *what,
                       et_part_fn part_of, const et_tensor *self,
                       et_value *const *arguments, et_tensor *out);

/* Copies `self` to `out`, then `src` to a part of it. `src` has the shape of
 * the part. */
et_status et_part_scatter(et_kernel_context *context, const char *what,
                          et_part_fn part_of, const et_tensor *self,
                          const et_tensor *src, et_value *const *arguments,
                          et_tensor *out);

#endif /* ET_KERNELS_PORTABLE_PART_H_ */
