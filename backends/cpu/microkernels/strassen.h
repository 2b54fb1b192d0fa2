/* y = activation(x * weights + bias + residual) in float by Strassen's algorithm, in the
 * form that Winograd gave it: upper and lower half of the rows, left and right half of
 * summands and columns make seven products in place of eight, of sums of quarters of x and
 * of the weights. Those of the weights are made by the compiler. */
#ifndef BACKENDS_CPU_MICROKERNELS_STRASSEN_H_
#define BACKENDS_CPU_MICROKERNELS_STRASSEN_H_

#include "backends/cpu/microkernels/gemm_f32.h"

#define ET_CPU_STRASSEN_PRODUCTS 7
#define ET_CPU_STRASSEN_SUMS 4 /* of quarters of x */

/* Columns of a half that are worked on at once, and whose weights lie together. */
#define ET_CPU_STRASSEN_COLUMNS 64

/* Of one example. Row r of the upper half and row r of the lower one are a pair; the lower half of an odd
 * number of rows has one less. Depth and columns are multiples of 32.
 *
 * product.panels: of each group of columns of a half, the weights of one product after
 *   the other: [ET_CPU_STRASSEN_PRODUCTS][columns of the group / 16][depth / 2][16].
 * product.bias: [columns], of the right half less those of the left one. */
typedef struct et_cpu_strassen {
  et_cpu_gemm product;
  size_t rows;
  float *sums; /* [ET_CPU_STRASSEN_SUMS][pairs][depth / 2] */
} et_cpu_strassen;

static inline size_t et_cpu_strassen_pairs(size_t rows) {
  return rows / 2 + rows % 2;
}

/* Writes the sums of some pairs. */
typedef void et_cpu_strassen_sums_f32_function(const et_cpu_strassen *strassen,
                                               size_t first_pair, size_t pairs);

/* Computes the rows of some pairs, and of either half one group of columns. Reads the sums
 * of these pairs. `workspace` is [pairs][ET_CPU_STRASSEN_COLUMNS]. */
typedef void et_cpu_strassen_f32_function(const et_cpu_strassen *strassen,
                                          const et_cpu_range *range,
                                          float *workspace);

ET_CPU_DECLARE(et_cpu_strassen_sums_f32_function, et_cpu_strassen_sums_f32);
ET_CPU_DECLARE(et_cpu_strassen_f32_function, et_cpu_strassen_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_STRASSEN_H_ */
