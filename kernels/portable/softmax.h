/* softmax and log_softmax along one dimension. */
#ifndef ET_KERNELS_PORTABLE_SOFTMAX_H_
#define ET_KERNELS_PORTABLE_SOFTMAX_H_

#include <stdbool.h>

#include "executorch/kernel.h"

/* Computes exp(x - max) / sum(exp(x - max)) along `dim`, or its logarithm, in
 * double. The dtypes must be floating. */
et_status et_softmax_run(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, bool logarithm,
                         et_tensor *out);

#endif /* ET_KERNELS_PORTABLE_SOFTMAX_H_ */
