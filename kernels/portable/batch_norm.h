/* Batch normalization with given statistics or those of the batch. */
#ifndef ET_KERNELS_PORTABLE_BATCH_NORM_H_
#define ET_KERNELS_PORTABLE_BATCH_NORM_H_

#include "kernels/portable/normalise.h"

typedef struct et_batch_norm {
  const et_tensor *input; /* [N, C, ...] */
  et_channels parameters;
  const et_tensor *mean; /* NULL, like variance: use the batch's statistics */
  const et_tensor *variance;
  double eps;
  et_tensor *out;
  et_tensor *saved_mean; /* [C] for the batch's statistics, otherwise empty */
  et_tensor *saved_rstd;
} et_batch_norm;

et_status et_batch_norm_apply(et_kernel_context *context,
                              const et_batch_norm *p);

#endif /* ET_KERNELS_PORTABLE_BATCH_NORM_H_ */
