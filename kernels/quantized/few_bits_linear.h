/* Linear layers whose weight is a matrix of few bits. */
#ifndef ET_KERNELS_QUANTIZED_FEW_BITS_LINEAR_H_
#define ET_KERNELS_QUANTIZED_FEW_BITS_LINEAR_H_

#include "kernels/quantized/few_bits.h"

/* Rows of the input that a row of the weight is unpacked for. */
#define ET_FEW_BITS_ROWS 8

typedef struct et_few_bits_linear {
  const char *what;
  et_few_bits weight;
  const et_tensor *input; /* [..., columns] */
  const et_tensor *bias;  /* [weight rows], or NULL */
  et_tensor *out;         /* [..., weight rows] */
  size_t rows;            /* of input */
} et_few_bits_linear;

/* Reads args: input, codes, scales, zero points or minima, and what `bias`,
 * `bits` and `out` are; resizes `out`. */
et_status et_few_bits_linear_read(et_kernel_context *context, const char *what,
                                  et_value *const *args,
                                  et_few_bits_shift shift,
                                  const et_tensor *bias, int64_t bits,
                                  et_tensor *out, et_few_bits_linear *linear);

/* Computes all of it in floats. */
void et_few_bits_linear_run(const et_few_bits_linear *linear);

/* Stores results of rows `first` to `first + count`, their column `column`. */
void et_few_bits_linear_store(const et_few_bits_linear *linear, size_t first,
                              size_t count, size_t column, const float *sums);

#endif /* ET_KERNELS_QUANTIZED_FEW_BITS_LINEAR_H_ */
