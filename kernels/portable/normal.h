/* Inverses and logarithms of the error function and the normal distribution. */
#ifndef KERNELS_PORTABLE_NORMAL_H_
#define KERNELS_PORTABLE_NORMAL_H_

/* Returns exp(x^2) erfc(x). */
double et_erfcx(double x);

/* Returns the log of the standard normal distribution function at x. */
double et_log_ndtr(double x);

/* Returns the quantile p of the standard normal distribution. */
double et_ndtri(double p);

double et_erfinv(double x);

#endif /* KERNELS_PORTABLE_NORMAL_H_ */
