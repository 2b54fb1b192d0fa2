/* A tensor and a boolean mask, broadcast to one shape. */
#ifndef ET_KERNELS_PORTABLE_MASK_H_
#define ET_KERNELS_PORTABLE_MASK_H_

#include <stdbool.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

typedef struct et_mask {
  et_view self; /* self and mask have the same sizes */
  et_view mask;
  size_t numel;
  size_t selected; /* number of true elements of mask */
} et_mask;

/* Returns INVALID_ARGUMENT unless `mask` is bool and broadcasts with `self`. */
et_status et_mask_plan(et_kernel_context *context, const char *what,
                       const et_tensor *self, const et_tensor *mask,
                       et_mask *plan);

/* Returns true if element `i`, in row-major order, is selected. */
bool et_mask_at(const et_mask *plan, size_t i);

/* Copies element `i` of `from` to element `k` of `to`, each in row-major order.
 * Both have the same dtype. */
void et_mask_move(const et_view *from, size_t i, const et_view *to, size_t k);

#endif /* ET_KERNELS_PORTABLE_MASK_H_ */
