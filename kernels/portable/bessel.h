/* Bessel functions of orders 0 and 1, in double. */
#ifndef KERNELS_PORTABLE_BESSEL_H_
#define KERNELS_PORTABLE_BESSEL_H_

/* Bessel functions of the first and the second kind. */
double et_bessel_j(int order, double x);
double et_bessel_y(int order, double x);

/* Modified Bessel functions, scaled by e^-|x| (I) or e^x (K) to avoid
 * overflow. */
double et_bessel_i_scaled(int order, double x);
double et_bessel_k_scaled(int order, double x);

#endif /* KERNELS_PORTABLE_BESSEL_H_ */
