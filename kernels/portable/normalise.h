/* What the normalisations by channels and groups share. */
#ifndef ET_KERNELS_PORTABLE_NORMALISE_H_
#define ET_KERNELS_PORTABLE_NORMALISE_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* Mean and 1 / sqrt(variance + eps), with the variance over all elements. */
typedef struct et_moments {
  double mean;
  double rstd;
} et_moments;

et_moments et_moments_of(const et_view *view, double eps);

/* The parameters of channels, each [C] and floating, or NULL: 1 and 0. */
typedef struct et_channels {
  const et_tensor *weight;
  const et_tensor *bias;
} et_channels;

/* INVALID_ARGUMENT unless `vector` is NULL or floating with `channels`
 * elements.
 */
et_status et_channels_check(et_kernel_context *context, const char *what,
                            const char *name, const et_tensor *vector,
                            int64_t channels);

/* Element `index` of a vector, or `absent` for NULL. */
double et_channels_element(const et_tensor *vector, int64_t index,
                           double absent);

/* Writes (in - mean) * rstd * weight + bias with those of `channel`. */
void et_normalise_channel(const et_view *in, const et_view *out, et_moments m,
                          const et_channels *parameters, int64_t channel);

#endif /* ET_KERNELS_PORTABLE_NORMALISE_H_ */
