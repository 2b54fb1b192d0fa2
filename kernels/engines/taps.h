/* Interpolation taps: elements along an axis and their weights. */
#ifndef ET_KERNELS_ENGINES_TAPS_H_
#define ET_KERNELS_ENGINES_TAPS_H_

#include "kernels/engines/window.h"

#define ET_TAPS 4

/* Elements of an axis and their weights. Functions that create taps may return
 * indices outside the axis. The caller maps them inside, or to -1 for no
 * element. */
typedef struct et_taps {
  size_t count;
  int64_t at[ET_TAPS];
  double weight[ET_TAPS];
} et_taps;

/* Nearest neighbor, ties to even; linear, two taps; cubic convolution with A =
 * -0.75, four taps. */
et_taps et_taps_nearest(double place);
et_taps et_taps_linear(double place);
et_taps et_taps_cubic(double place);

/* Returns the sum over three axes, weighted by the taps, for image n and
 * channel c. */
double et_taps_sum(const et_view *in, int64_t n, int64_t c, const et_taps *z,
                   const et_taps *y, const et_taps *x);

#endif /* ET_KERNELS_ENGINES_TAPS_H_ */
