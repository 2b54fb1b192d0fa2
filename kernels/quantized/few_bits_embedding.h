/* Rows of a matrix of few bits by index. */
#ifndef ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_
#define ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_

#include "kernels/quantized/few_bits.h"

/* Writes the rows of `table` that `indices` name to `out`, which is resized. */
et_status et_few_bits_rows(et_kernel_context *context, const char *what,
                           const et_few_bits *table, const et_tensor *indices,
                           et_tensor *out);

/* An embedding of codes of so many bits. args: codes, scales, zero points, the
 * lowest and the highest code, indices, then what `dtype` is unless it is NULL.
 * `out` is resized. */
et_status et_few_bits_embedding(et_kernel_context *context, const char *what,
                                et_value *const *args, int64_t bits,
                                const et_value *dtype, et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_ */
