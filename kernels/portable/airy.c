#include "kernels/portable/special_functions.h"

#include <math.h>

#define PI 3.14159265358979323846
#define AT_ZERO 0.355028053887817239260        /* 3^(-2/3) / gamma(2/3) */
#define SLOPE_AT_ZERO -0.258819403792806798405 /* -3^(-1/3) / gamma(1/3) */

/* Above 1, integrate numerically. Below -9.5, use the asymptotic series, whose
 * smallest term is below double precision there. In between, use Taylor
 * series. */
#define INTEGRAL_FROM 1.0
#define WAVES_BELOW -9.5

static double phase_of(double size) { return 2.0 / 3.0 * size * sqrt(size); }

/* Computes e^-phase / (pi x^(1/4)) times the integral from 0 to infinity of
 * e^(-s^2) cos(s^3 / (3 x^(3/4))). The error of the trapezoidal rule decreases
 * exponentially with the step. */
static double integrate(double x) {
  const double step = 0.125;
  const double turn = 1.0 / (3.0 * pow(x, 0.75));
  double sum = 0.5;
  for (int i = 1; i <= 50; i++) {
    const double s = step * i;
    sum += exp(-s * s) * cos(s * s * s * turn);
  }
  return step * sum * exp(-phase_of(x)) / (PI * sqrt(sqrt(x)));
}

/* Advances `value` and `slope` of a solution of y'' = x y from `x` to `x +
 * step`, with the Taylor series at `x`. */
static void advance(double x, double step, double *value, double *slope) {
  double terms[3] = {0.0, *value,
                     *slope * step}; /* terms, times powers of step */
  double sum = terms[1] + terms[2];
  double slopes = *slope;
  for (int n = 2; n < 30; n++) {
    const double next =
        (x * step * step * terms[1] + step * step * step * terms[0]) /
        (n * (n - 1.0));
    sum += next;
    slopes += n * next / step;
    terms[0] = terms[1];
    terms[1] = terms[2];
    terms[2] = next;
  }
  *value = sum;
  *slope = slopes;
}

/* Integrates from 0 in steps of at most 0.5. */
static double follow(double x) {
  double value = AT_ZERO;
  double slope = SLOPE_AT_ZERO;
  const int steps = (int)ceil(fabs(x) / 0.5);
  for (int i = 0; i < steps; i++) {
    advance(x * i / steps, x / steps, &value, &slope);
  }
  return value;
}

/* Adds the even and the odd terms of the asymptotic series in 1 / phase, with
 * alternating signs. */
static double wave(double x) {
  const double phase = phase_of(-x);
  double sums[2] = {1.0, 0.0};
  double term = 1.0;
  for (int k = 1; k < 30; k++) {
    term *= (6.0 * k - 5.0) * (6.0 * k - 3.0) * (6.0 * k - 1.0) /
            (216.0 * k * (2.0 * k - 1.0) * phase);
    sums[k % 2] += k / 2 % 2 == 0 ? term : -term;
  }
  const double angle = phase - PI / 4.0;
  return (cos(angle) * sums[0] + sin(angle) * sums[1]) /
         (sqrt(PI) * sqrt(sqrt(-x)));
}

double et_airy_ai(double x) {
  if (isinf(x) || isnan(x)) {
    return NAN;
  }
  if (x >= INTEGRAL_FROM) {
    return integrate(x);
  }
  return x < WAVES_BELOW ? wave(x) : follow(x);
}
