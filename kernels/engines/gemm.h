/* float32 GEMM, in C that compilers vectorize. Convolutions and matrix
 * multiplications use it. */
#ifndef ET_KERNELS_ENGINES_GEMM_H_
#define ET_KERNELS_ENGINES_GEMM_H_

#include <stdbool.h>
#include <stddef.h>

/* A matrix whose rows are contiguous and `stride` elements apart. */
typedef struct et_gemm_panel {
  const float *data;
  size_t stride;
} et_gemm_panel;

/* A matrix of any strides, in elements. */
typedef struct et_gemm_matrix {
  const float *data;
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;
} et_gemm_matrix;

/* Initial value of the accumulation. */
typedef struct et_gemm_start {
  bool fresh;        /* false: start from the values in out */
  const float *rows; /* if fresh: start row i from rows[i], or from 0 if NULL */
} et_gemm_start;

/* Computes out[i][j] = start + sum over k of a[i][k] * b[k][j], for rows x
 * columns results of reduction depth `depth`. `out` must not overlap an input;
 * its rows are `out_stride` apart.
 *
 * A tile of the result stays in registers over a block of K. K is accumulated
 * in order, so the bits of a result do not depend on the rows and columns that
 * are computed with it. The loop is fastest if 64 rows of b, `columns` wide,
 * fit the L1 or L2 cache. */
void et_gemm_accumulate(size_t rows, size_t columns, size_t depth,
                        const et_gemm_matrix *a, const et_gemm_panel *b,
                        et_gemm_start start, float *out, size_t out_stride);

/* Returns the sum over k of a[k] * b[k]. */
float et_gemm_dot(const float *a, const float *b, size_t depth);

#endif /* ET_KERNELS_ENGINES_GEMM_H_ */
