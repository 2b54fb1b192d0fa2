#include "kernels/portable/special_functions.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_2 1.41421356237309504880
#define SQRT_PI 1.77245385090551602730

/* Continued fraction of erfc, evaluated backward. For x >= 2, further terms are
 * below double precision. */
static double erfcx_by_fraction(double x) {
  double tail = x;
  for (int k = 60; k > 0; k--) {
    tail = x + 0.5 * k / tail;
  }
  return 1 / (SQRT_PI * tail);
}

double et_erfcx(double x) {
  if (x < 0) {
    return 2 * exp(x * x) - et_erfcx(-x);
  }
  return x < 2 ? exp(x * x) * erfc(x) : erfcx_by_fraction(x);
}

double et_log_ndtr(double x) {
  if (x < -1) {
    return log(0.5 * et_erfcx(-x * SQRT_HALF)) - 0.5 * x * x;
  }
  return log1p(-0.5 * erfc(x * SQRT_HALF));
}

/* Newton's method on the logarithm of the distribution function, which is
 * nearly a parabola in the lower tail. `p` is at most 0.5. */
static double lower_ndtri(double p) {
  const double wanted = log(p);
  double x = p > 0.1 ? (p - 0.5) * 2.5 : -sqrt(-2 * wanted) + 0.5;
  for (int step = 0; step < 20; step++) {
    const double slope = SQRT_2 / (SQRT_PI * et_erfcx(-x * SQRT_HALF));
    const double change = (et_log_ndtr(x) - wanted) / slope;
    x -= change;
    if (fabs(change) < 1e-16 * (1 + fabs(x))) {
      break;
    }
  }
  return x;
}

double et_ndtri(double p) {
  if (isnan(p) || p < 0 || p > 1) {
    return NAN;
  }
  if (p == 0 || p == 1) {
    return p == 0 ? -INFINITY : INFINITY;
  }
  return p <= 0.5 ? lower_ndtri(p) : -lower_ndtri(1 - p);
}

/* Newton's method on erf, which is nearly linear around 0. */
static double erfinv_about_0(double x) {
  double y = x * 0.5 * SQRT_PI;
  for (int step = 0; step < 6; step++) {
    y -= (erf(y) - x) * 0.5 * SQRT_PI * exp(y * y);
  }
  return y;
}

double et_erfinv(double x) {
  if (fabs(x) <= 0.5 || isnan(x)) {
    return erfinv_about_0(x);
  }
  const double y = -et_ndtri(0.5 * (1 - fabs(x))) * SQRT_HALF;
  return copysign(y, x);
}
