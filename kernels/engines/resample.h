/* Sizes and source positions of 2-d upsampling. */
#ifndef ET_KERNELS_ENGINES_RESAMPLE_H_
#define ET_KERNELS_ENGINES_RESAMPLE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* One spatial dimension. `scale` is the number of input elements per output
 * element. */
typedef struct et_resample_axis {
  int64_t in;
  int64_t out;
  double scale;
  bool align_corners;
} et_resample_axis;

typedef struct et_resample {
  et_view in; /* [N, C, 1, H, W] */
  et_view out;
  et_resample_axis y;
  et_resample_axis x;
} et_resample;

/* Reads output_size (int[]?) or scale_factors (float[]?), and resizes `out`.
 * Exactly one of them must be given. */
et_status et_resample_plan(et_kernel_context *context, const char *what,
                           const et_tensor *input, const et_value *output_size,
                           const et_value *scale_factors, bool align_corners,
                           et_tensor *out, et_resample *resample);

/* Returns the input index of mode "nearest", rounded down as in PyTorch. */
int64_t et_resample_nearest(const et_resample_axis *axis, int64_t o);

/* Computes the two input elements around output `o`, and the weight of the
 * second. */
void et_resample_linear(const et_resample_axis *axis, int64_t o, int64_t *low,
                        int64_t *high, double *weight);

#endif /* ET_KERNELS_ENGINES_RESAMPLE_H_ */
