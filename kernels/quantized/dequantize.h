/* Loop and checks of the dequantizing operators. */
#ifndef ET_KERNELS_QUANTIZED_DEQUANTIZE_H_
#define ET_KERNELS_QUANTIZED_DEQUANTIZE_H_

#include "executorch/kernels/view.h"
#include "kernels/quantized/quantize.h"

/* Dequantizes each element of `in` to the same index of `out`, of a floating
 * dtype. */
void et_dequantize_view(const et_quantization *q, const et_view *in,
                        const et_view *out);

/* Checks the dtypes of input and out for an operator with arguments `dtype` and
 * `out_dtype`. */
et_status et_dequantize_check(et_kernel_context *context, const char *what,
                              const et_tensor *input, const et_value *dtype,
                              const et_value *out_dtype, const et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_DEQUANTIZE_H_ */
