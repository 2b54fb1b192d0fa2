/* Orthogonal polynomials, in double. The degree is truncated to an integer. For
 * a negative degree, the value is 0. */
#ifndef ET_KERNELS_PORTABLE_POLYNOMIALS_H_
#define ET_KERNELS_PORTABLE_POLYNOMIALS_H_

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

#endif /* ET_KERNELS_PORTABLE_POLYNOMIALS_H_ */
