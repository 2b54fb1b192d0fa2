/* Interpolation: what elements along each axis are weighed with. */
#ifndef ET_KERNELS_ENGINES_TAPS_H_
#define ET_KERNELS_ENGINES_TAPS_H_

#include "kernels/engines/window.h"

#define ET_TAPS 4

/* Elements of an axis and their weights. An element may lie outside: whoever makes
 * taps sees to that, and sets it to -1 where there is nothing. */
typedef struct et_taps {
  size_t count;
  int64_t at[ET_TAPS];
  double weight[ET_TAPS];
} et_taps;

/* The nearest element to a place, of two the even one; both around it; and the four
 * around it that a cubic (A = -0.75) goes through. */
et_taps et_taps_nearest(double place);
et_taps et_taps_linear(double place);
et_taps et_taps_cubic(double place);

/* The weighted sum over three axes for image n and channel c. */
double et_taps_sum(const et_view *in, int64_t n, int64_t c, const et_taps *z,
                   const et_taps *y, const et_taps *x);

#endif /* ET_KERNELS_ENGINES_TAPS_H_ */
