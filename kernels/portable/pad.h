/* Padding with elements of the tensor. */
#ifndef ET_KERNELS_PORTABLE_PAD_H_
#define ET_KERNELS_PORTABLE_PAD_H_

#include "executorch/kernel.h"

typedef enum et_pad_rule {
  ET_PAD_REFLECT,   /* reflect without repeating the edge element */
  ET_PAD_REPLICATE, /* repeat the edge element */
} et_pad_rule;

/* Pads the last `dims` (1 to 3) dimensions of a tensor, after one or two
 * others. `args` are self, padding and out. padding has a (before, after) pair
 * per dimension, from the last. Negative values crop. */
et_status et_pad_edges(et_kernel_context *context, const char *what,
                       et_pad_rule rule, size_t dims, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_PAD_H_ */
