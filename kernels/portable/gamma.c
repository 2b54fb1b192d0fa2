#include "kernels/portable/special_functions.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define PI 3.14159265358979323846

/* Bernoulli numbers B2, B4, ...: coefficients of the asymptotic series. */
static const double bernoulli[] = {
    1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
    -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330,
};
#define BERNOULLI_COUNT (sizeof bernoulli / sizeof *bernoulli)

/* From this value on, the series are accurate to double precision. */
#define ASYMPTOTIC_FROM 12.0

static double digamma_of_positive(double x) {
  double steps = 0;
  while (x < ASYMPTOTIC_FROM) {
    steps += 1 / x;
    x += 1;
  }
  const double square = 1 / (x * x);
  double power = square;
  double sum = 0;
  for (size_t k = 0; k < BERNOULLI_COUNT; k++) {
    sum += bernoulli[k] / (2.0 * (double)(k + 1)) * power;
    power *= square;
  }
  return log(x) - 0.5 / x - sum - steps;
}

double et_digamma(double x) {
  if (x == 0) {
    return copysign(INFINITY, -x);
  }
  if (x > 0 || isnan(x)) {
    return isnan(x) ? x : digamma_of_positive(x);
  }
  const double fraction = x - trunc(x);
  if (fraction == 0 || isinf(x)) {
    return NAN;
  }
  return digamma_of_positive(1 - x) - PI / tan(PI * fraction);
}

/* Euler-Maclaurin formula for the rest of the sum, from `q`. */
static double zeta_rest(double x, double q) {
  double sum = pow(q, 1 - x) / (x - 1) + 0.5 * pow(q, -x);
  double factor = x * pow(q, -x - 1);
  double factorial = 2;
  for (size_t k = 0; k < BERNOULLI_COUNT; k++) {
    const double order = 2.0 * (double)(k + 1);
    sum += bernoulli[k] * factor / factorial;
    factor *= (x + order - 1) * (x + order) / (q * q);
    factorial *= (order + 1) * (order + 2);
  }
  return sum;
}

double et_zeta(double x, double q) {
  if (x <= 1) {
    return x == 1 ? INFINITY : NAN;
  }
  if (q <= 0 && q == floor(q)) {
    return INFINITY;
  }
  /* NaN for a negative base with a non-integer exponent, and at infinity as in
   * PyTorch */
  if (isnan(x) || isnan(q) || isinf(q) || (q <= 0 && x != floor(x))) {
    return NAN;
  }
  double sum = 0;
  while (q < ASYMPTOTIC_FROM) {
    const double term = pow(q, -x);
    sum += term;
    q += 1;
    if (fabs(term) < DBL_EPSILON * fabs(sum) && q > 0) {
      return sum;
    }
  }
  return sum + zeta_rest(x, q);
}

/* Maximum number of terms of the series and the continued fraction. They
 * converge earlier, except for very large arguments, for which results are less
 * accurate. */
#define MAX_TERMS 20000

/* Common factor of both functions: x^a e^-x / gamma(a). */
static double igamma_factor(double a, double x) {
  return exp(a * log(x) - x - lgamma(a));
}

static double lower_by_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int k = 1; k < MAX_TERMS && term > sum * DBL_EPSILON; k++) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * igamma_factor(a, x);
}

/* Continued fraction, evaluated with Lentz's algorithm. */
static double upper_by_fraction(double a, double x) {
  double b = x + 1 - a;
  double c = 1 / DBL_MIN;
  double d = 1 / b;
  double fraction = d;
  double change = 0;
  for (int k = 1; k < MAX_TERMS && fabs(change - 1) > DBL_EPSILON; k++) {
    const double numerator = -k * (k - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    change = c * d;
    fraction *= change;
  }
  return fraction * igamma_factor(a, x);
}

/* Returns the lower function if it does not need a series, otherwise -1. */
static double igamma_at_edges(double a, double x) {
  if (x < 0 || a < 0 || (isinf(a) && isinf(x)) || (a == 0 && !(x > 0))) {
    return NAN;
  }
  if (a == 0 || x == 0) {
    return a == 0 ? 1 : 0;
  }
  if (isnan(a) || isnan(x)) {
    return NAN;
  }
  return isinf(x) ? 1 : isinf(a) ? 0 : -1;
}

double et_igamma(double a, double x) {
  const double edge = igamma_at_edges(a, x);
  if (edge != -1) {
    return edge;
  }
  return x < a + 1 ? lower_by_series(a, x) : 1 - upper_by_fraction(a, x);
}

double et_igammac(double a, double x) {
  const double edge = igamma_at_edges(a, x);
  if (edge != -1) {
    return 1 - edge;
  }
  return x < a + 1 ? 1 - lower_by_series(a, x) : upper_by_fraction(a, x);
}
