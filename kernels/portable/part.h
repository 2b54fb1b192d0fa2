/* Parts of a tensor, as the arguments of slices and selections name them. */
#ifndef ET_KERNELS_PORTABLE_PART_H_
#define ET_KERNELS_PORTABLE_PART_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* whole[start:end:step] along a dimension. `arguments` are dim, start, end
 * (None or beyond the size: from one end to the other) and step. */
et_status et_part_slice(et_kernel_context *context, const char *what,
                        const et_view *whole, et_value *const *arguments,
                        et_view *part);

/* whole[index] along a dimension, which disappears. `arguments` are dim and
 * index, which counts from the end when negative. */
et_status et_part_select(et_kernel_context *context, const char *what,
                         const et_view *whole, et_value *const *arguments,
                         et_view *part);

/* One of the two above. */
typedef et_status (*et_part_fn)(et_kernel_context *context, const char *what,
                                const et_view *whole,
                                et_value *const *arguments, et_view *part);

/* Copies a part of `self` to `out`. */
et_status et_part_copy(et_kernel_context *context, const char *what,
                       et_part_fn part_of, const et_tensor *self,
                       et_value *const *arguments, et_tensor *out);

/* Sets `out` to `self`, and a part of it to `src`, which has its shape. */
et_status et_part_scatter(et_kernel_context *context, const char *what,
                          et_part_fn part_of, const et_tensor *self,
                          const et_tensor *src, et_value *const *arguments,
                          et_tensor *out);

#endif /* ET_KERNELS_PORTABLE_PART_H_ */
