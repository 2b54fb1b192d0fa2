/* How much scratch the larger loops take: what kernels ask for when a call is
 * prepared, and what programs' headers state, as constant expressions.
 *
 * Operands are numbers, truths are 1 and 0. */
#ifndef EXECUTORCH_KERNELS_SCRATCH_H_
#define EXECUTORCH_KERNELS_SCRATCH_H_

#include <stddef.h>

#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of scratch where a loop takes any. */
#define ET_CONV_SCRATCH_BYTES ((size_t)32768)
#define ET_MATMUL_SCRATCH_BYTES ((size_t)32768)

/* Whether the float32 loops of convolutions take one: every operand in row-major
 * order. */
#define ET_CONV_IS_PLAIN(dtype, is_row_major, is_transposed) \
  ((dtype) == ET_SCALAR_TYPE_FLOAT32 && (is_row_major) && !(is_transposed))

/* Whether each position of the output reads just its own of the input, so that
 * the input itself is a factor of the product: by the largest of each attribute,
 * of all dimensions. */
#define ET_CONV_IS_POINTWISE(kernel, stride, padding) \
  ((kernel) == 1 && (stride) == 1 && (padding) == 0)

/* Of a convolution with `channels` of the input in each group: none where each
 * product reads the input where it lies. A depthwise one never does. */
#define ET_CONV_SCRATCH(dtype, is_row_major, is_transposed, channels, kernel,  \
                        stride, padding)                                       \
  (ET_CONV_IS_PLAIN(dtype, is_row_major, is_transposed) &&                     \
           !(ET_CONV_IS_POINTWISE(kernel, stride, padding) && (channels) != 1) \
       ? ET_CONV_SCRATCH_BYTES                                                 \
       : (size_t)0)

/* Whether the float32 loops of matrix products take one: `is_unscaled` when its
 * factors are 1, `out_column` the stride from a column to the next. */
#define ET_MATMUL_IS_PLAIN(dtype, is_unscaled, out_column) \
  ((dtype) == ET_SCALAR_TYPE_FLOAT32 && (is_unscaled) && (out_column) == 1)

/* Whether a product a x b has few rows, and rows of a and columns of b without
 * gaps: b is read once, without a copy. */
#define ET_MATMUL_IS_DOTS(rows, a_column, b_row) \
  ((rows) <= 4 && (a_column) == 1 && (b_row) == 1)

/* Of a product with that many rows; the others are strides, from a column or a
 * row of a matrix to the next. None where b is used where it lies. */
#define ET_MATMUL_SCRATCH(dtype, is_unscaled, rows, a_column, b_row, b_column, \
                          out_column)                                          \
  (ET_MATMUL_IS_PLAIN(dtype, is_unscaled, out_column) && (b_column) != 1 &&    \
           !ET_MATMUL_IS_DOTS(rows, a_column, b_row)                           \
       ? ET_MATMUL_SCRATCH_BYTES                                               \
       : (size_t)0)

/* Of a linear layer that quantizes rows of so many features: eight of them. */
#define ET_DYNAMIC_LINEAR_SCRATCH(features) ((size_t)16 * (size_t)(features))

/* Of a product of bytes whose results have so many summands: columns of a panel, four
 * at least, each a multiple of eight elements of 16 bits. */
#define ET_BYTE_PRODUCT_PITCH(depth) (((size_t)(depth) + 7) / 8 * 8)
#define ET_BYTE_PRODUCT_SCRATCH(depth)            \
  (ET_BYTE_PRODUCT_PITCH(depth) > (size_t)4096    \
       ? (size_t)8 * ET_BYTE_PRODUCT_PITCH(depth) \
       : (size_t)32768)

/* Of Fourier transforms along dimensions of at most so many elements. */
#define ET_FFT_SCRATCH(length) ((size_t)48 * (size_t)(length))

/* Of linear algebra, in double: how many columns are computed side by side. */
#define ET_PANEL_COLUMNS 8

/* Of factors of a matrix, what describes them, and columns of a system with it. */
#define ET_FACTORS_SCRATCH(rows, columns)                                 \
  (sizeof(double) *                                                       \
   ((size_t)(rows) * ((size_t)(columns) + ET_PANEL_COLUMNS + (size_t)1) + \
    (size_t)(columns)))

/* Of the eigenvectors of a symmetric matrix, and of singular ones. */
#define ET_EIGENVECTORS_SCRATCH(size) \
  (sizeof(double) * (size_t)(size) * ((size_t)2 * (size_t)(size) + (size_t)1))
#define ET_SINGULAR_VECTORS_SCRATCH(rows, columns)   \
  (sizeof(double) *                                  \
   ((size_t)3 * (size_t)(rows) * (size_t)(columns) + \
    (size_t)(ET_PANEL_COLUMNS + 2) * ((size_t)(rows) + (size_t)(columns))))

/* Of the exponential of a matrix. */
#define ET_EXPONENTIAL_SCRATCH(size) \
  (ET_FACTORS_SCRATCH(size, size) +  \
   sizeof(double) * (size_t)6 * (size_t)(size) * (size_t)(size))

/* Of attention: how many queries are in hand at a time, and how many keys. */
#define ET_ATTENTION_ROWS ((size_t)32)
#define ET_ATTENTION_KEYS ((size_t)64)

/* Of attention over so many keys of `depth` elements, with values of `width`. */
#define ET_ATTENTION_SCRATCH(keys, depth, width)                               \
  (sizeof(float) *                                                             \
   (ET_ATTENTION_ROWS * ((size_t)(keys) + (size_t)(depth) + (size_t)(width)) + \
    ET_ATTENTION_KEYS * ((size_t)(depth) + (size_t)(width))))

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_SCRATCH_H_ */
