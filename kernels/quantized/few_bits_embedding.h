/* Rows of a matrix of few bits by index. */
#ifndef ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_
#define ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_

#include "executorch/kernel.h"

/* An embedding of codes of so many bits. args: codes, scales, zero points, the
 * lowest and the highest code, indices, then what `dtype` is unless it is NULL.
 * `out` is resized. */
et_status et_few_bits_embedding(et_kernel_context *context, const char *what,
                                et_value *const *args, int64_t bits,
                                const et_value *dtype, et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_FEW_BITS_EMBEDDING_H_ */
