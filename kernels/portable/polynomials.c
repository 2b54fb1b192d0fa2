#include "kernels/portable/special_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernels/convert.h"

/* Above LARGE_DEGREE, Chebyshev polynomials are computed with cosines. Above
 * LARGEST_HERMITE, Hermite polynomials are NaN. */
#define LARGE_DEGREE 8
#define LARGEST_HERMITE 512

/* Computes the polynomial of degree k + 1 from those of degrees k and k - 1. */
typedef double (*step_fn)(double x, double k, double current, double previous);

/* Evaluates the recurrence from 1 (degree 0) and `first` (degree 1). Stops at
 * NaN. */
static double recur(double x, double degree, double first, step_fn step) {
  const int64_t n = et_float_to_int64(degree);
  if (n <= 0) {
    return n == 0 ? 1.0 : 0.0;
  }
  double previous = 1.0;
  double current = first;
  for (int64_t k = 1; k < n && !isnan(current); k++) {
    const double next = step(x, (double)k, current, previous);
    previous = current;
    current = next;
  }
  return current;
}

static double chebyshev_step(double x, double k, double current,
                             double previous) {
  (void)k;
  return 2.0 * x * current - previous;
}

/* Returns true if the trigonometric form is faster and more accurate. */
static bool has_angle(double x, double degree) {
  return degree > LARGE_DEGREE && fabs(x) < 1.0;
}

double et_chebyshev_t(double x, double degree) {
  if (has_angle(x, degree)) {
    return cos(trunc(degree) * acos(x));
  }
  return recur(x, degree, x, chebyshev_step);
}

double et_chebyshev_u(double x, double degree) {
  if (has_angle(x, degree)) {
    return sin((trunc(degree) + 1.0) * acos(x)) / sin(acos(x));
  }
  return recur(x, degree, 2.0 * x, chebyshev_step);
}

double et_chebyshev_v(double x, double degree) {
  if (has_angle(x, degree)) {
    return cos((trunc(degree) + 0.5) * acos(x)) / cos(acos(x) / 2.0);
  }
  return recur(x, degree, 2.0 * x - 1.0, chebyshev_step);
}

double et_chebyshev_w(double x, double degree) {
  if (has_angle(x, degree)) {
    return sin((trunc(degree) + 0.5) * acos(x)) / sin(acos(x) / 2.0);
  }
  return recur(x, degree, 2.0 * x + 1.0, chebyshev_step);
}

static double hermite_h_step(double x, double k, double current,
                             double previous) {
  return 2.0 * x * current - 2.0 * k * previous;
}

double et_hermite_h(double x, double degree) {
  return degree > LARGEST_HERMITE ? NAN
                                  : recur(x, degree, 2.0 * x, hermite_h_step);
}

static double hermite_he_step(double x, double k, double current,
                              double previous) {
  return x * current - k * previous;
}

double et_hermite_he(double x, double degree) {
  return degree > LARGEST_HERMITE ? NAN : recur(x, degree, x, hermite_he_step);
}

static double laguerre_step(double x, double k, double current,
                            double previous) {
  return ((2.0 * k + 1.0 - x) * current - k * previous) / (k + 1.0);
}

double et_laguerre(double x, double degree) {
  return recur(x, degree, 1.0 - x, laguerre_step);
}

static double legendre_step(double x, double k, double current,
                            double previous) {
  return ((2.0 * k + 1.0) * x * current - k * previous) / (k + 1.0);
}

double et_legendre(double x, double degree) {
  return recur(x, degree, x, legendre_step);
}
