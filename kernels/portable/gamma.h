/* The gamma function and its kin, in double. */
#ifndef KERNELS_PORTABLE_GAMMA_H_
#define KERNELS_PORTABLE_GAMMA_H_

/* The derivative of log gamma: an infinity at 0, NaN at the other poles. */
double et_digamma(double x);

/* Hurwitz's: the sum of (q + k) ^ -x over k from 0. */
double et_zeta(double x, double q);

/* The regularised incomplete gamma functions, lower and upper. */
double et_igamma(double a, double x);
double et_igammac(double a, double x);

#endif /* KERNELS_PORTABLE_GAMMA_H_ */
