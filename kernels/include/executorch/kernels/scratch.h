/* Scratch sizes in bytes of the larger loops, as constant expressions. Kernels
 * request these sizes when a call is prepared, and generated headers state
 * them.
 *
 * Arguments are integers. Booleans are 1 and 0. */
#ifndef EXECUTORCH_KERNELS_SCRATCH_H_
#define EXECUTORCH_KERNELS_SCRATCH_H_

#include <stddef.h>

#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scratch of the loops that need any. */
#define ET_CONV_SCRATCH_BYTES ((size_t)32768)
#define ET_MATMUL_SCRATCH_BYTES ((size_t)32768)

/* True for convolutions that the float32 loops support: float32, not
 * transposed, all operands in row-major order. */
#define ET_CONV_IS_PLAIN(dtype, is_row_major, is_transposed) \
  ((dtype) == ET_SCALAR_TYPE_FLOAT32 && (is_row_major) && !(is_transposed))

/* True if each output position reads only the same input position, so that the
 * input itself is an operand of the GEMM. Arguments are the largest value of
 * each attribute over all dimensions. */
#define ET_CONV_IS_POINTWISE(kernel, stride, padding) \
  ((kernel) == 1 && (stride) == 1 && (padding) == 0)

/* Scratch bytes of a convolution with `channels` input channels per group.
 * Pointwise convolutions need no scratch because the GEMM reads the input in
 * place. Depthwise convolutions always need scratch. */
#define ET_CONV_SCRATCH(dtype, is_row_major, is_transposed, channels, kernel,  \
                        stride, padding)                                       \
  (ET_CONV_IS_PLAIN(dtype, is_row_major, is_transposed) &&                     \
           !(ET_CONV_IS_POINTWISE(kernel, stride, padding) && (channels) != 1) \
       ? ET_CONV_SCRATCH_BYTES                                                 \
       : (size_t)0)

/* True for calls that the float32 GEMM supports. `is_unscaled` is true if
 * alpha and beta are 1; `out_column` is the stride between columns of the
 * result. */
#define ET_MATMUL_IS_PLAIN(dtype, is_unscaled, out_column) \
  ((dtype) == ET_SCALAR_TYPE_FLOAT32 && (is_unscaled) && (out_column) == 1)

/* True if a has few rows, and the rows of a and the columns of b are
 * contiguous. The result is then computed as dot products that read b once,
 * without a copy. */
#define ET_MATMUL_IS_DOTS(rows, a_column, b_row) \
  ((rows) <= 4 && (a_column) == 1 && (b_row) == 1)

/* Scratch bytes of a GEMM with `rows` rows. The other arguments are strides
 * between the rows or columns of a matrix. No scratch is needed if b is read in
 * place. */
#define ET_MATMUL_SCRATCH(dtype, is_unscaled, rows, a_column, b_row, b_column, \
                          out_column)                                          \
  (ET_MATMUL_IS_PLAIN(dtype, is_unscaled, out_column) && (b_column) != 1 &&    \
           !ET_MATMUL_IS_DOTS(rows, a_column, b_row)                           \
       ? ET_MATMUL_SCRATCH_BYTES                                               \
       : (size_t)0)

/* Scratch bytes of a linear layer that quantizes its input dynamically: eight
 * rows of int16. */
#define ET_DYNAMIC_LINEAR_SCRATCH(features) ((size_t)16 * (size_t)(features))

/* Scratch bytes of an int8 GEMM with reduction depth `depth`: a panel of at
 * least four columns, each padded to a multiple of eight int16 elements. */
#define ET_INT8_GEMM_PITCH(depth) (((size_t)(depth) + 7) / 8 * 8)
#define ET_INT8_GEMM_SCRATCH(depth)            \
  (ET_INT8_GEMM_PITCH(depth) > (size_t)4096    \
       ? (size_t)8 * ET_INT8_GEMM_PITCH(depth) \
       : (size_t)32768)

/* Scratch bytes of Fourier transforms along dimensions of at most `length`
 * elements. */
#define ET_FFT_SCRATCH(length) ((size_t)48 * (size_t)(length))

/* Linear algebra computes in double, on this many right-hand sides at a
 * time. */
#define ET_PANEL_COLUMNS 8

/* Scratch bytes of a matrix factorization: the factors, their coefficients, and
 * one panel of right-hand sides. */
#define ET_FACTORS_SCRATCH(rows, columns)                                 \
  (sizeof(double) *                                                       \
   ((size_t)(rows) * ((size_t)(columns) + ET_PANEL_COLUMNS + (size_t)1) + \
    (size_t)(columns)))

/* Scratch bytes of an eigendecomposition or a singular value decomposition. */
#define ET_EIGENVECTORS_SCRATCH(size) \
  (sizeof(double) * (size_t)(size) * ((size_t)2 * (size_t)(size) + (size_t)1))
#define ET_SINGULAR_VECTORS_SCRATCH(rows, columns)   \
  (sizeof(double) *                                  \
   ((size_t)3 * (size_t)(rows) * (size_t)(columns) + \
    (size_t)(ET_PANEL_COLUMNS + 2) * ((size_t)(rows) + (size_t)(columns))))

/* Scratch bytes of a matrix exponential. */
#define ET_EXPONENTIAL_SCRATCH(size) \
  (ET_FACTORS_SCRATCH(size, size) +  \
   sizeof(double) * (size_t)6 * (size_t)(size) * (size_t)(size))

/* Queries and keys that attention processes at a time. */
#define ET_ATTENTION_ROWS ((size_t)32)
#define ET_ATTENTION_KEYS ((size_t)64)

/* Scratch bytes of attention over `keys` keys of `depth` elements, with values
 * of `width` elements. */
#define ET_ATTENTION_SCRATCH(keys, depth, width)                               \
  (sizeof(float) *                                                             \
   (ET_ATTENTION_ROWS * ((size_t)(keys) + (size_t)(depth) + (size_t)(width)) + \
    ET_ATTENTION_KEYS * ((size_t)(depth) + (size_t)(width))))

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_SCRATCH_H_ */
