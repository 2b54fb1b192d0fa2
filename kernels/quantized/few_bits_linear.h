/* Linear layers with low-bit weights. */
#ifndef ET_KERNELS_QUANTIZED_FEW_BITS_LINEAR_H_
#define ET_KERNELS_QUANTIZED_FEW_BITS_LINEAR_H_

#include "kernels/quantized/few_bits.h"

/* Input rows for which a weight row is unpacked once. */
#define ET_FEW_BITS_ROWS 8

typedef struct et_few_bits_linear {
  const char *what;
  et_few_bits weight;
  const et_tensor *input; /* [..., columns] */
  const et_tensor *bias;  /* [weight rows], or NULL */
  et_tensor *out;         /* [..., weight rows] */
  size_t rows;            /* number of input rows */
} et_few_bits_linear;

/* Reads the arguments and resizes `out`. `args` are input, quantized values,
 * scales, and zero points or minima. */
et_status et_few_bits_linear_read(et_kernel_context *context, const char *what,
                                  et_value *const *args,
                                  et_few_bits_shift shift,
                                  const et_tensor *bias, int64_t bits,
                                  et_tensor *out, et_few_bits_linear *linear);

/* Computes the layer in float32. */
void et_few_bits_linear_run(const et_few_bits_linear *linear);

/* Stores the results of rows [first, first + count) in column `column`. */
void et_few_bits_linear_store(const et_few_bits_linear *linear, size_t first,
                              size_t count, size_t column, const float *sums);

#endif /* ET_KERNELS_QUANTIZED_FEW_BITS_LINEAR_H_ */
