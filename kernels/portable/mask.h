/* A tensor and a mask of its elements, broadcast together. */
#ifndef ET_KERNELS_PORTABLE_MASK_H_
#define ET_KERNELS_PORTABLE_MASK_H_

#include <stdbool.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

typedef struct et_mask {
  et_view self; /* both of the same sizes */
  et_view mask;
  size_t numel;
  size_t selected; /* elements of mask that are true */
} et_mask;

/* INVALID_ARGUMENT unless `mask` is bool and broadcasts with `self`. */
et_status et_mask_plan(et_kernel_context *context, const char *what,
                       const et_tensor *self, const et_tensor *mask,
                       et_mask *plan);

/* Whether element number `i`, in row-major order, is selected. */
bool et_mask_at(const et_mask *plan, size_t i);

/* Copies element number `i` of `from` to number `k` of `to`, in row-major order
 * of each; both have the same dtype. */
void et_mask_move(const et_view *from, size_t i, const et_view *to, size_t k);

#endif /* ET_KERNELS_PORTABLE_MASK_H_ */
