/* Matrix multiplication in float: the loop nest under convolutions and matrix
 * products, in plain C that compilers vectorise. */
#ifndef ET_KERNELS_ENGINES_GEMM_H_
#define ET_KERNELS_ENGINES_GEMM_H_

#include <stdbool.h>
#include <stddef.h>

/* A matrix whose rows have unit stride, `stride` elements apart. */
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

/* What the results are added to. */
typedef struct et_gemm_start {
  bool fresh;        /* false: to what out holds */
  const float *rows; /* else to rows[i], or to nothing when NULL */
} et_gemm_start;

/* out[i][j] = start + sum over k of a[i][k] * b[k][j], with `rows` x `columns`
 * results and `depth` summands. `out` overlaps nothing else; its rows are
 * `out_stride` apart. A tile of the results stays in registers over a block of
 * summands, which are added in their order: a result has the same bits whatever
 * rows and columns are computed with it. It is fastest when 64 rows of b,
 * `columns` wide, stay in a near cache. */
void et_gemm_accumulate(size_t rows, size_t columns, size_t depth,
                        const et_gemm_matrix *a, const et_gemm_panel *b,
                        et_gemm_start start, float *out, size_t out_stride);

/* Sum over k of a[k] * b[k]. */
float et_gemm_dot(const float *a, const float *b, size_t depth);

#endif /* ET_KERNELS_ENGINES_GEMM_H_ */
