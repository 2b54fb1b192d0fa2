/* The gamma function and related functions, in double. */
#ifndef KERNELS_PORTABLE_GAMMA_H_
#define KERNELS_PORTABLE_GAMMA_H_

/* Derivative of log gamma. Infinite at 0, NaN at the other poles. */
double et_digamma(double x);

/* Hurwitz zeta function: the sum of (q + k)^-x over k from 0. */
double et_zeta(double x, double q);

/* Regularized incomplete gamma functions, lower and upper. */
double et_igamma(double a, double x);
double et_igammac(double a, double x);

#endif /* KERNELS_PORTABLE_GAMMA_H_ */
