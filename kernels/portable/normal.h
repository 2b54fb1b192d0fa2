/* The error function's inverses and logarithms, in double. */
#ifndef KERNELS_PORTABLE_NORMAL_H_
#define KERNELS_PORTABLE_NORMAL_H_

/* exp(x^2) erfc(x). */
double et_erfcx(double x);

/* The logarithm of the part of a normal distribution below x. */
double et_log_ndtr(double x);

/* Where a normal distribution has the part p below it. */
double et_ndtri(double p);

double et_erfinv(double x);

#endif /* KERNELS_PORTABLE_NORMAL_H_ */
