/* The Airy function Ai, in double. */
#ifndef ET_KERNELS_PORTABLE_AIRY_H_
#define ET_KERNELS_PORTABLE_AIRY_H_

/* Returns NaN for infinities, as PyTorch does. */
double et_airy_ai(double x);

#endif /* ET_KERNELS_PORTABLE_AIRY_H_ */
