/* Orthogonal polynomials, in double. The degree is a number whose fraction does not
 * count; of a negative degree there is none, and its value is 0. */
#ifndef ET_KERNELS_PORTABLE_POLYNOMIALS_H_
#define ET_KERNELS_PORTABLE_POLYNOMIALS_H_

/* Of the four kinds of Chebyshev's. */
double et_chebyshev_t(double x, double degree);
double et_chebyshev_u(double x, double degree);
double et_chebyshev_v(double x, double degree);
double et_chebyshev_w(double x, double degree);

/* Hermite's, of physicists and of probabilists: NaN above a degree of 512. */
double et_hermite_h(double x, double degree);
double et_hermite_he(double x, double degree);

double et_laguerre(double x, double degree);
double et_legendre(double x, double degree);

#endif /* ET_KERNELS_PORTABLE_POLYNOMIALS_H_ */
