/* Quantization parameters of int8 and uint8 tensors. */
#ifndef BACKENDS_CPU_OPS_QUANTIZED_H_
#define BACKENDS_CPU_OPS_QUANTIZED_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/ops/op.h"

/* Words of what is written: inverse of the scale, zero point, lowest and
 * highest byte. */
#define ET_CPU_QUANTIZING_WORDS 4

/* Words of what is read one by one: zero point, scale. */
#define ET_CPU_READING_WORDS 2

/* Elements of a chunk of an elementwise op. */
#define ET_CPU_QS8_CHUNK 16384

/* ---- Checks and readers of declared ops ---- */

/* Checks that `value`, a zero point or a bound, is a value of `tensor`, whose dtype
 * is int8 or uint8. */
et_status et_cpu_check_quantized_value(const et_cpu_op *op,
                                       const et_cpu_tensor *tensor,
                                       int32_t value, et_error *error);

/* Checks that the zero point and the bounds of `output` are values of `tensor`. The
 * schema declares that the inverse scale is positive. */
et_status et_cpu_check_output_quantization(
    const et_cpu_op *op, const et_cpu_tensor *tensor,
    const et_cpu_output_quantization *output, et_error *error);

/* Returns the quantized values of `tensor`. */
et_cpu_bytes et_cpu_bytes_of(const et_cpu_tensor *tensor, int32_t zero_point);

/* Checks that the sums, scales and biases of output channels have `count` elements. */
et_status et_cpu_check_columns(const et_cpu_op *op, const et_cpu_tensor *sums,
                               const et_cpu_tensor *scales,
                               const et_cpu_tensor *biases, int64_t count,
                               et_error *error);

/* Biases are float32 or int32. */
et_cpu_columns_i8 et_cpu_columns_of(const et_cpu_tensor *sums,
                                    const et_cpu_tensor *scales,
                                    const et_cpu_tensor *biases);

/* ---- Checks and readers of ops without a schema ---- */

/* That tensor `index` of the op is int8 or uint8. */
et_status et_cpu_check_bytes(const et_cpu_op *op, size_t index,
                             et_error *error);

/* And an image [batch][y][x][channel]. */
et_status et_cpu_check_image_i8(const et_cpu_op *op, size_t index,
                                et_error *error);

/* Tensor `index`, whose zero point is attribute `word`. */
et_cpu_bytes et_cpu_read_bytes(const et_cpu_op *op, size_t index, size_t word);

/* That attribute `word` is a number that tensor `index` of bytes can hold. */
et_status et_cpu_check_byte(const et_cpu_op *op, size_t word, size_t index,
                            et_error *error);

/* That the words from `word` on say how tensor `index` of bytes is written. */
et_status et_cpu_check_quantizing(const et_cpu_op *op, size_t word,
                                  size_t index, et_error *error);

et_cpu_output_quantization et_cpu_read_output_quantization(const et_cpu_op *op,
                                                           size_t word);

/* A float among the attributes. */
float et_cpu_float_attribute(const et_cpu_op *op, size_t word);

#endif /* BACKENDS_CPU_OPS_QUANTIZED_H_ */
