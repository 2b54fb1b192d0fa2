#include "kernels/engines/resample.h"

#include <math.h>

#include "executorch/kernels/convert.h"

/* Returns taps for `count` consecutive elements from `first`, which may be any
 * value. */
static et_taps taps_from(double first, size_t count) {
  et_taps taps = {.count = count};
  for (size_t i = 0; i < count; i++) {
    taps.at[i] = et_float_to_int64(first + (double)i);
  }
  return taps;
}

et_taps et_taps_nearest(double position) {
  et_taps taps = taps_from(rint(position), 1);
  taps.weight[0] = 1.0;
  return taps;
}

et_taps et_taps_linear(double position) {
  const double low = floor(position);
  et_taps taps = taps_from(low, 2);
  taps.weight[0] = 1.0 - (position - low);
  taps.weight[1] = position - low;
  return taps;
}

/* The two pieces of the cubic convolution kernel, for distances in [0, 1] and
 * [1, 2]. */
static double near_weight(double x) { return (1.25 * x - 2.25) * x * x + 1.0; }

static double far_weight(double x) {
  return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0;
}

et_taps et_taps_cubic(double position) {
  const double low = floor(position);
  const double t = position - low;
  et_taps taps = taps_from(low - 1.0, 4);
  taps.weight[0] = far_weight(t + 1.0);
  taps.weight[1] = near_weight(t);
  taps.weight[2] = near_weight(1.0 - t);
  taps.weight[3] = far_weight(2.0 - t);
  return taps;
}

static double sum_row(const et_view *in, et_position *at, const et_taps *x) {
  double sum = 0.0;
  for (size_t i = 0; i < x->count; i++) {
    double value = 0.0;
    at->x = x->at[i];
    if (at->x >= 0) {
      et_load_run(ET_COMPUTE_FLOAT64, in->dtype, et_window_at(in, at), 0, 1,
                  &value);
      sum += value * x->weight[i];
    }
  }
  return sum;
}

double et_taps_sum(const et_view *in, int64_t n, int64_t c, const et_taps *z,
                   const et_taps *y, const et_taps *x) {
  double sum = 0.0;
  for (size_t i = 0; i < z->count * y->count; i++) {
    const size_t k = i / y->count;
    const size_t j = i % y->count;
    et_position at = {n, c, z->at[k], y->at[j], 0};
    if (at.z >= 0 && at.y >= 0) {
      sum += sum_row(in, &at, x) * z->weight[k] * y->weight[j];
    }
  }
  return sum;
}
