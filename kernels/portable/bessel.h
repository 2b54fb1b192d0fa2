/* Bessel's functions of orders 0 and 1, in double. */
#ifndef KERNELS_PORTABLE_BESSEL_H_
#define KERNELS_PORTABLE_BESSEL_H_

/* Of the first and the second kind; `order` is 0 or 1. */
double et_bessel_j(int order, double x);
double et_bessel_y(int order, double x);

/* The modified ones, times e^-|x| and e^x: as they do not overflow. */
double et_bessel_i_scaled(int order, double x);
double et_bessel_k_scaled(int order, double x);

#endif /* KERNELS_PORTABLE_BESSEL_H_ */
