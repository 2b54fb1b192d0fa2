/* Interpolation and resampling. */
#ifndef ET_KERNELS_ENGINES_RESAMPLE_H_
#define ET_KERNELS_ENGINES_RESAMPLE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"
#include "kernels/engines/window.h"

/* ---- Interpolation taps ---- */

#define ET_TAPS 4

/* Elements of an axis and their weights. Functions that create taps may return
 * indices outside the axis. The caller maps these to an index inside the axis,
 * or to -1 for no element. */
typedef struct et_taps {
  size_t count;
  int64_t at[ET_TAPS];
  double weight[ET_TAPS];
} et_taps;

/* Nearest neighbor with ties to even; linear with two taps; cubic convolution
 * with A = -0.75 and four taps. */
et_taps et_taps_nearest(double position);
et_taps et_taps_linear(double position);
et_taps et_taps_cubic(double position);

/* Returns the sum over three axes, weighted by the taps, for image n and
 * channel c. */
double et_taps_sum(const et_view *in, int64_t n, int64_t c, const et_taps *z,
                   const et_taps *y, const et_taps *x);

/* ---- Sizes and source positions of 2-d upsampling ---- */

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
