/* The discrete Fourier transform of one line, of any length. */
#ifndef ET_KERNELS_ENGINES_FFT_H_
#define ET_KERNELS_ENGINES_FFT_H_

#include <stdbool.h>
#include <stddef.h>

#include "executorch/scalar_type.h"

/* A transform of `length` numbers, in memory of ET_FFT_SCRATCH(length) bytes.
 * Its time is that of the length times the sum of its prime factors. */
typedef struct et_fft {
  size_t length;
  et_complex128 *line;  /* what is transformed; after et_fft_run the result */
  et_complex128 *spare; /* of the same length */
  const et_complex128 *roots; /* powers of the first root of one */
} et_fft;

et_fft et_fft_plan(size_t length, bool forward, void *memory);

/* Sets element k of the line to the sum over j of element j times
 * exp(-2 pi i j k / length), or of the opposite sign unless `forward`. */
void et_fft_run(et_fft *fft);

#endif /* ET_KERNELS_ENGINES_FFT_H_ */
