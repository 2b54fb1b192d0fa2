/* Special functions, computed in double. */
#ifndef ET_KERNELS_PORTABLE_SPECIAL_FUNCTIONS_H_
#define ET_KERNELS_PORTABLE_SPECIAL_FUNCTIONS_H_

/* ---- Gamma function ---- */

/* Derivative of log gamma. Infinite at 0, NaN at the other poles. */
double et_digamma(double x);

/* Hurwitz zeta function: the sum of (q + k)^-x over k from 0. */
double et_zeta(double x, double q);

/* Regularized incomplete gamma functions, lower and upper. */
double et_igamma(double a, double x);
double et_igammac(double a, double x);

/* ---- Error function and normal distribution ---- */

/* Returns exp(x^2) erfc(x). */
double et_erfcx(double x);

/* Returns the log of the standard normal distribution function at x. */
double et_log_ndtr(double x);

/* Returns the quantile p of the standard normal distribution. */
double et_ndtri(double p);

double et_erfinv(double x);

/* ---- Bessel functions of orders 0 and 1 ---- */

/* Bessel functions of the first and the second kind. */
double et_bessel_j(int order, double x);
double et_bessel_y(int order, double x);

/* Modified Bessel functions, scaled by e^-|x| (I) or e^x (K) to avoid
 * overflow. */
double et_bessel_i_scaled(int order, double x);
double et_bessel_k_scaled(int order, double x);

/* ---- Airy function Ai ---- */

/* Returns NaN for infinities, as PyTorch does. */
double et_airy_ai(double x);

/* ---- Orthogonal polynomials ---- */

/* The degree is truncated to an integer. For a negative degree, the value is
 * 0. */

/* Chebyshev polynomials of the four kinds. */
double et_chebyshev_t(double x, double degree);
double et_chebyshev_u(double x, double degree);
double et_chebyshev_v(double x, double degree);
double et_chebyshev_w(double x, double degree);

/* Physicists' (h) and probabilists' (he) Hermite polynomials. NaN above degree
 * 512. */
double et_hermite_h(double x, double degree);
double et_hermite_he(double x, double degree);

double et_laguerre(double x, double degree);
double et_legendre(double x, double degree);

#endif /* ET_KERNELS_PORTABLE_SPECIAL_FUNCTIONS_H_ */
