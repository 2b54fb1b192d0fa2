#include "kernels/quantized/quantize.h"

#include <math.h>

/* The reciprocals of smaller scales are outside float16's range. */
#define SMALLEST_SCALE 6.1e-5f

void et_range_take(et_range *range, const float *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    range->low = values[i] < range->low ? values[i] : range->low;
    range->high = values[i] > range->high ? values[i] : range->high;
  }
}

/* Computes the zero point from one end of the range, which ExecuTorch's kernel
 * chooses by the same formula. Both ends give the same value except for rounding
 * errors, which matter if the zero point is halfway between two integers. */
static double exact_zero_point(const et_range *range, double scale, double low,
                               double high) {
  const double from_low = range->low / scale;
  const double from_high = range->high / scale;
  return fabs(low) - fabs(from_low) < fabs(high) - fabs(from_high)
             ? low - from_low
             : high - from_high;
}

et_range_parameters et_range_asymmetric(const et_range *range, int64_t low,
                                        int64_t high) {
  double scale =
      ((double)range->high - range->low) / ((double)high - (double)low);
  if (isinf(1.0f / (float)scale)) { /* zero, or too small */
    scale = 0.1;
  }
  const double point =
      exact_zero_point(range, scale, (double)low, (double)high);
  const double nearest = nearbyint(point);
  return (et_range_parameters){
      scale<(double)SMALLEST_SCALE ? (double)SMALLEST_SCALE : scale,
            nearest >= (double)high ? high : nearest>(double) low
          ? (int64_t)nearest
          : low};
}
