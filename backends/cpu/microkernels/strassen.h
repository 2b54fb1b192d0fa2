/* Float32 GEMM with one level of Strassen's algorithm in Winograd's form.
 *
 *   y = activation(x * W + bias + residual), x is [rows, K], W is [K, N], y is [rows, N].
 *
 * x, W and y are split into quarters. Seven products of sums of quarters replace eight products of
 * quarters, which saves 1/8 of the multiply-adds. Sums of quarters of W are computed at compile
 * time; those of x are computed by et_cpu_strassen_sums_f32. Weights are packed per group of 64
 * columns of a half, [group][product][panel][K / 2][16]:
 *   group 0: [weights of P0][weights of P1] ... [weights of P6]
 * The products use the register tile of gemm_f32 (tile.h), for one group at a time, so that partial
 * results stay in cache. The additions are bound by memory bandwidth, so only large matrices
 * benefit. */
#ifndef BACKENDS_CPU_MICROKERNELS_STRASSEN_H_
#define BACKENDS_CPU_MICROKERNELS_STRASSEN_H_

#include "backends/cpu/microkernels/gemm_f32.h"
#include "backends/cpu/schema/cost_model.h"
#include "backends/cpu/schema/kernel_sizes.h"

#define ET_CPU_STRASSEN_SUMS 4 /* sums of quarters of x */

/* One matrix of a batch. Row r of the upper half and row r of the lower half are a pair. If the
 * number of rows is odd, the last pair has no lower row. K and N are multiples of 32.
 *
 * product.panels: for each group of columns of a half, the weights of the products in order,
 * [ET_CPU_STRASSEN_PRODUCTS][columns of the group / 16][K / 2][16]. product.bias: [N]; the right
 * half has its bias minus the bias of the left half. */
typedef struct et_cpu_strassen {
  et_cpu_gemm product;
  size_t rows;
  float *sums; /* [ET_CPU_STRASSEN_SUMS][pairs][depth / 2] */
} et_cpu_strassen;

static inline size_t et_cpu_strassen_pairs(size_t rows) {
  return rows / 2 + rows % 2;
}

/* Computes the sums of `pairs` pairs of rows. */
typedef void et_cpu_strassen_sums_f32_function(const et_cpu_strassen *strassen,
                                               size_t first_pair, size_t pairs);

/* Computes the rows of a range of pairs, for one group of columns of each half. Reads the sums of
 * these pairs. `workspace` is [pairs][ET_CPU_STRASSEN_COLUMNS]. */
typedef void et_cpu_strassen_f32_function(const et_cpu_strassen *strassen,
                                          const et_cpu_range *range,
                                          float *workspace);

ET_CPU_DECLARE(et_cpu_strassen_sums_f32_function, et_cpu_strassen_sums_f32);
ET_CPU_DECLARE(et_cpu_strassen_f32_function, et_cpu_strassen_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_STRASSEN_H_ */
