/* Discrete Fourier transform of one line, of any length (mixed-radix). */
#ifndef ET_KERNELS_ENGINES_FFT_H_
#define ET_KERNELS_ENGINES_FFT_H_

#include <stdbool.h>
#include <stddef.h>

#include "executorch/scalar_type.h"

/* A transform of `length` elements, in memory of ET_FFT_SCRATCH(length) bytes.
 * The run time is proportional to the length times the sum of its prime
 * factors. */
typedef struct et_fft {
  size_t length;
  et_complex128 *line;        /* input; after et_fft_run, the result */
  et_complex128 *spare;       /* buffer of the same length */
  const et_complex128 *roots; /* roots of unity */
} et_fft;

et_fft et_fft_plan(size_t length, bool forward, void *memory);

/* Discrete Fourier transform of the line, in place:
 *
 *   X[k] = sum over j of x[j] * exp(-2 pi i j k / length)
 *
 * The inverse has a positive exponent and is not scaled. */
void et_fft_run(et_fft *fft);

#endif /* ET_KERNELS_ENGINES_FFT_H_ */
