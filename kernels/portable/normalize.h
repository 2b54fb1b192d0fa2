/* Normalization by channels, groups and batches. */
#ifndef ET_KERNELS_PORTABLE_NORMALIZE_H_
#define ET_KERNELS_PORTABLE_NORMALIZE_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* ---- Channels and groups ---- */

/* Mean and 1 / sqrt(variance + eps). The variance is the population
 * variance. */
typedef struct et_moments {
  double mean;
  double rstd;
} et_moments;

et_moments et_moments_of(const et_view *view, double eps);

/* Per-channel parameters, each [C] and floating-point. NULL means weight 1
 * or bias 0. */
typedef struct et_channels {
  const et_tensor *weight;
  const et_tensor *bias;
} et_channels;

/* Returns INVALID_ARGUMENT unless `vector` is NULL, or floating-point with
 * `channels` elements. */
et_status et_channels_check(et_kernel_context *context, const char *what,
                            const char *name, const et_tensor *vector,
                            int64_t channels);

/* Returns element `index` of a vector, or `absent` if it is NULL. */
double et_channels_element(const et_tensor *vector, int64_t index,
                           double absent);

/* Computes (in - mean) * rstd * weight + bias with the parameters of
 * `channel`. */
void et_normalize_channel(const et_view *in, const et_view *out, et_moments m,
                          const et_channels *parameters, int64_t channel);

/* ---- Batch normalization ---- */

typedef struct et_batch_norm {
  const et_tensor *input; /* [N, C, ...] */
  et_channels parameters;
  /* if NULL, as is `variance`: use the batch's statistics */
  const et_tensor *mean;
  const et_tensor *variance;
  double eps;
  et_tensor *out;
  et_tensor *saved_mean; /* [C] for the batch's statistics, otherwise empty */
  et_tensor *saved_rstd;
} et_batch_norm;

et_status et_batch_norm_apply(et_kernel_context *context,
                              const et_batch_norm *p);

#endif /* ET_KERNELS_PORTABLE_NORMALIZE_H_ */
