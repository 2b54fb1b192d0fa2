/* Padding with elements of the tensor itself. */
#ifndef ET_KERNELS_PORTABLE_PAD_H_
#define ET_KERNELS_PORTABLE_PAD_H_

#include "executorch/kernel.h"

typedef enum et_pad_rule {
  ET_PAD_REFLECT,   /* at the edge, which is not repeated */
  ET_PAD_REPLICATE, /* the edge is repeated */
} et_pad_rule;

/* Pads the last `dims` (1 to 3) dimensions of a tensor, which may have one or
 * two before them. `args` are self, padding and out; padding has a pair for
 * each dimension, from the last on; negative cuts off. */
et_status et_pad_edges(et_kernel_context *context, const char *what,
                       et_pad_rule rule, size_t dims, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_PAD_H_ */
