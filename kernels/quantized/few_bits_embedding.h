/* Embedding lookup in low-bit matrices. */
#ifndef ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_
#define ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_

#include "kernels/quantized/few_bits.h"

/* Dequantizes the rows of `table` that `indices` select to `out`, and resizes
 * it. */
et_status et_few_bits_rows(et_kernel_context *context, const char *what,
                           const et_few_bits *table, const et_tensor *indices,
                           et_tensor *out);

/* Kernel of an embedding with `bits` bits per value. `args` are quantized
 * values, scales, zero points, lowest and highest quantized value, and indices.
 * `dtype` is the dtype argument, or NULL if the operator has none. Resizes
 * `out`. */
et_status et_few_bits_embedding(et_kernel_context *context, const char *what,
                                et_value *const *args, int64_t bits,
                                const et_value *dtype, et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_ */
