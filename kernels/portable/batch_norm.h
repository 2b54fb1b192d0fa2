/* Batch normalisation with statistics that are given, or those of the batch. */
#ifndef ET_KERNELS_PORTABLE_BATCH_NORM_H_
#define ET_KERNELS_PORTABLE_BATCH_NORM_H_

#include "kernels/portable/normalise.h"

typedef struct et_batch_norm {
  const et_tensor *input; /* [N, C, ...] */
  et_channels parameters;
  const et_tensor *mean; /* given, as is variance; or NULL: of the batch */
  const et_tensor *variance;
  double eps;
  et_tensor *out;
  et_tensor *saved_mean; /* [C] where they are of the batch, else empty */
  et_tensor *saved_rstd;
} et_batch_norm;

et_status et_batch_norm_apply(et_kernel_context *context,
                              const et_batch_norm *p);

#endif /* ET_KERNELS_PORTABLE_BATCH_NORM_H_ */
