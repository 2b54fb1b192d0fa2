/* Clamping with PyTorch's treatment of NaN. */
#ifndef ET_KERNELS_PORTABLE_LIMITS_H_
#define ET_KERNELS_PORTABLE_LIMITS_H_

/* A NaN element stays NaN, and a NaN limit gives NaN. If the lower limit
 * exceeds the upper one, the result is the upper limit. */
#define ET_AT_LEAST(x, low) ((low) > (x) || (low) != (low) ? (low) : (x))
#define ET_AT_MOST(x, high) ((high) < (x) || (high) != (high) ? (high) : (x))

#endif /* ET_KERNELS_PORTABLE_LIMITS_H_ */
