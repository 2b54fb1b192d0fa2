/* Quantization parameters of int8 and uint8 tensors. */
#ifndef BACKENDS_CPU_OPS_QUANTIZED_H_
#define BACKENDS_CPU_OPS_QUANTIZED_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/ops/op.h"

/* Number of elements per chunk of an elementwise op. */
#define ET_CPU_QS8_CHUNK 16384

/* Checks that `value`, a zero point or a bound, is in the range of the dtype of `tensor`, which is
 * int8 or uint8. */
et_status et_cpu_check_quantized_value(const et_cpu_op *op,
                                       const et_cpu_tensor *tensor,
                                       int32_t value, et_error *error);

/* Checks that the zero point and the bounds are in the range of the dtype of `output`.
 * et_cpu_check_schema() checks the inverse scale. */
et_status et_cpu_check_output_quantization(
    const et_cpu_op *op, const et_cpu_tensor *tensor,
    const et_cpu_output_quantization *output, et_error *error);

/* Checks the quantization of a convolution: the zero point and the lower bound of its input `x`,
 * and the output quantization of `y`. */
et_status et_cpu_check_conv_quantization(
    const et_cpu_op *op, const et_cpu_tensor *x, int32_t zero_point,
    int32_t min_value, const et_cpu_tensor *y,
    const et_cpu_output_quantization *output, et_error *error);

/* Returns the quantized values of `tensor`. */
et_cpu_qs8 et_cpu_qs8_of(const et_cpu_tensor *tensor, int32_t zero_point);

/* Checks that the sums, scales and biases of output channels have `count` elements each. */
et_status et_cpu_check_columns(const et_cpu_op *op, const et_cpu_tensor *sums,
                               const et_cpu_tensor *scales,
                               const et_cpu_tensor *biases, int64_t count,
                               et_error *error);

/* Returns the requantization of the columns. Biases are float32 or int32. */
et_cpu_columns_i8 et_cpu_columns_of(const et_cpu_tensor *sums,
                                    const et_cpu_tensor *scales,
                                    const et_cpu_tensor *biases);

#endif /* BACKENDS_CPU_OPS_QUANTIZED_H_ */
