/* The words that say how bytes stand for numbers. */
#ifndef BACKENDS_CPU_OPS_QUANTIZED_H_
#define BACKENDS_CPU_OPS_QUANTIZED_H_

#include "backends/cpu/microkernels/quantized.h"
#include "backends/cpu/ops/op.h"

/* Words of what is written: inverse of the scale, zero point, lowest and
 * highest byte. */
#define ET_CPU_QUANTIZING_WORDS 4

/* Words of what is read one by one: zero point, scale. */
#define ET_CPU_READING_WORDS 2

/* What a thread works on at a time, of tensors that are worked on one by one. */
#define ET_CPU_BYTES_OF_CHUNK 16384

/* That tensor `index` of the op is int8 or uint8. */
et_status et_cpu_check_bytes(const et_cpu_op *op, size_t index,
                             et_error *error);

/* And an image [batch][y][x][channel]. */
et_status et_cpu_check_image_i8(const et_cpu_op *op, size_t index,
                                et_error *error);

/* Tensor `index`, whose zero point is attribute `word`. */
et_cpu_bytes et_cpu_read_bytes(const et_cpu_op *op, size_t index, size_t word);

/* What columns of weights have: sums of their weights, scales, biases. */
#define ET_CPU_COLUMN_TENSORS 3

/* That the tensors from `first` on have `count` columns. */
et_status et_cpu_check_columns(const et_cpu_op *op, size_t first, int64_t count,
                               et_error *error);

et_cpu_columns_i8 et_cpu_read_columns(const et_cpu_op *op, size_t first);

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
