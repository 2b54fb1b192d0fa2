/* Limiting an element from below and above, as PyTorch does. */
#ifndef ET_KERNELS_PORTABLE_LIMITS_H_
#define ET_KERNELS_PORTABLE_LIMITS_H_

/* A NaN is smaller and greater than nothing, and stays; a NaN as limit is the
 * result. Where the lower limit exceeds the upper, the upper is the result. */
#define ET_AT_LEAST(x, low) ((low) > (x) || (low) != (low) ? (low) : (x))
#define ET_AT_MOST(x, high) ((high) < (x) || (high) != (high) ? (high) : (x))

#endif /* ET_KERNELS_PORTABLE_LIMITS_H_ */
