#include "kernels/portable/special_functions.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846
#define EULER 0.57721566490153286061

/* From this value on, the asymptotic series are accurate to double
 * precision. */
#define ASYMPTOTIC_FROM 25.0

/* Sums of the even and the odd terms of Hankel's asymptotic series. Term k is
 * (4 v^2 - 1)(4 v^2 - 9) ... / (k! (8 x)^k). `sign` is the factor between
 * successive terms of a sum. `square` is 4 v^2. */
typedef struct hankel_sums {
  double even;
  double odd;
} hankel_sums;

static hankel_sums hankel(double square, double x, double sign) {
  hankel_sums sums = {1, 0};
  double term = 1;
  double last = INFINITY;
  for (int k = 1; k < 60; k++) {
    const double odd = 2.0 * k - 1;
    term *= (square - odd * odd) / (8.0 * k * x);
    if (fabs(term) >= last || term == 0) {
      break;
    }
    last = fabs(term);
    const double signed_term = (k / 2) % 2 != 0 ? sign * term : term;
    if (k % 2 != 0) {
      sums.odd += signed_term;
    } else {
      sums.even += signed_term;
    }
  }
  return sums;
}

/* Returns J (quarter = 0) or Y (quarter = 1) of large x. */
static double oscillating(int order, double x, int quarter) {
  const hankel_sums sums = hankel(4.0 * order * order, x, -1);
  const double angle = (0.5 * order + 0.25) * PI;
  /* cos(x - angle) without rounding the difference */
  const double cosine = cos(x) * cos(angle) + sin(x) * sin(angle);
  const double sine = sin(x) * cos(angle) - cos(x) * sin(angle);
  const double value = quarter == 0 ? sums.even * cosine - sums.odd * sine
                                    : sums.even * sine + sums.odd * cosine;
  return value * sqrt(2 / (PI * x));
}

/* J of orders 0 and 1, and Neumann's sums over higher orders, from which Y is
 * computed. Miller's algorithm: recur downward from an order at which J is
 * negligible, then scale so that J0 + 2 (J2 + J4 + ...) = 1. */
typedef struct bessel_values {
  double j[2];
  double sums[2];
} bessel_values;

static bessel_values miller(double x) {
  bessel_values values = {{0, 0}, {0, 0}};
  double above = 0;
  double here = DBL_MIN;
  double norm = 0;
  for (int order = 80; order > 0; order--) {
    const int k = order / 2;
    const double sign = k % 2 != 0 ? -1 : 1;
    if (order % 2 == 0) {
      norm += 2 * here;
      values.sums[0] += sign * here / k;
    } else if (k > 0) {
      values.sums[1] += sign * (2 * k + 1) / ((double)k * (k + 1)) * here;
    }
    const double below = 2 * order / x * here - above;
    values.j[1] = here;
    above = here;
    here = below;
    if (fabs(here) > 1e200) { /* rescale to avoid overflow */
      here *= 1e-200;
      above *= 1e-200;
      norm *= 1e-200;
      values.j[1] *= 1e-200;
      values.sums[0] *= 1e-200;
      values.sums[1] *= 1e-200;
    }
  }
  norm += here;
  values.j[0] = here / norm;
  values.j[1] /= norm;
  values.sums[0] /= norm;
  values.sums[1] /= norm;
  return values;
}

double et_bessel_j(int order, double x) {
  const double size = fabs(x);
  const double sign = order == 1 && x < 0 ? -1 : 1;
  if (isinf(x) || isnan(x)) {
    return NAN; /* as in PyTorch; the limit is 0 */
  }
  if (size < 1e-8) { /* leading terms of the power series */
    return order == 0 ? 1 - 0.25 * x * x : 0.5 * x;
  }
  return sign * (size < ASYMPTOTIC_FROM ? miller(size).j[order]
                                        : oscillating(order, size, 0));
}

static double y_of_small(int order, double x) {
  if (x < 1e-8) {
    const double log_part = 2 / PI * (log(0.5 * x) + EULER);
    return order == 0 ? log_part : -2 / (PI * x) + 0.5 * x * log_part;
  }
  const bessel_values values = miller(x);
  const double logarithm = log(0.5 * x) + EULER;
  if (order == 0) {
    return 2 / PI * logarithm * values.j[0] - 4 / PI * values.sums[0];
  }
  return -2 / (PI * x) * values.j[0] + 2 / PI * (logarithm - 1) * values.j[1] -
         2 / PI * values.sums[1];
}

double et_bessel_y(int order, double x) {
  if (x == 0) {
    return -INFINITY;
  }
  if (isnan(x) || isinf(x) || x < 0) {
    return NAN;
  }
  return x < ASYMPTOTIC_FROM ? y_of_small(order, x) : oscillating(order, x, 1);
}

double et_bessel_i_scaled(int order, double x) {
  const double size = fabs(x);
  const double sign = order == 1 && x < 0 ? -1 : 1;
  if (isinf(x)) {
    return 0;
  }
  if (size >= ASYMPTOTIC_FROM) {
    const hankel_sums sums = hankel(4.0 * order * order, size, 1);
    return sign * (sums.even - sums.odd) / sqrt(2 * PI * size);
  }
  double term = order == 0 ? 1 : 0.5 * size;
  double sum = term;
  for (int k = 1; k < 100 && term > sum * 0.1 * DBL_EPSILON; k++) {
    term *= 0.25 * size * size / ((double)k * (k + order));
    sum += term;
  }
  return sign * sum * exp(-size);
}

/* Returns K times e^x, which is the integral from 0 to infinity of
 *
 *   exp(-x (cosh t - 1)) cosh(order t)
 *
 * The error of the trapezoidal rule decreases exponentially with the step. */
static double k_scaled(int order, double x) {
  const double width = fmin(0.125, 0.5 / sqrt(x));
  double sum = 0.5;
  for (int i = 1; i < 10000; i++) {
    const double t = i * width;
    const double half = sinh(0.5 * t); /* cosh t - 1 = 2 sinh(t / 2)^2 */
    const double term = exp(-2 * x * half * half) * cosh(order * t);
    sum += term;
    if (term < sum * 0.01 * DBL_EPSILON) {
      break;
    }
  }
  return sum * width;
}

double et_bessel_k_scaled(int order, double x) {
  if (x == 0) {
    return INFINITY;
  }
  if (isnan(x) || x < 0) {
    return NAN;
  }
  if (isinf(x)) {
    return 0;
  }
  return x < 1e-15 && order == 1 ? 1 / x : k_scaled(order, x);
}
