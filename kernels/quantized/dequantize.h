/* The loop of the dequantizing operators. */
#ifndef ET_KERNELS_QUANTIZED_DEQUANTIZE_H_
#define ET_KERNELS_QUANTIZED_DEQUANTIZE_H_

#include "executorch/kernels/view.h"
#include "kernels/quantized/quantize.h"

/* Dequantizes every element of `in`, of a quantized dtype, to the same place of
 * `out`, of a floating one. */
void et_dequantize_view(const et_quantization *q, const et_view *in,
                        const et_view *out);

/* Checks input and out dtypes of an operator with arguments `dtype` and
 * `out_dtype`. */
et_status et_dequantize_check(et_kernel_context *context, const char *what,
                              const et_tensor *input, const et_value *dtype,
                              const et_value *out_dtype, const et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_DEQUANTIZE_H_ */
