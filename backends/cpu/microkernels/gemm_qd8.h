/* y = activation(x @ weights + bias) with dynamically quantized activations.
 *
 * x is [rows, K] and y is [rows, N], both float32. Each row of x is quantized to 8 bits over the
 * range of its elements, extended to include 0. The products of a group are summed exactly in
 * int32. The sum is corrected for the zero point of the row with precomputed sums of weights, then
 * scaled. Weights are packed as in gemm_qbw.h, [panel][word][16 columns]; a word has eight 4-bit or
 * four 8-bit weights.
 * - et_cpu_gemm_qd8_qb4w unpacks a vector of words to int8 once for up to 12 rows (AVX-512) or 6
 *   rows (other instruction sets). Their accumulators fill the registers.
 * - et_cpu_gemm_qd8 packs rows for the int8 tiles of tile_i8.h.
 * With many rows, int8 dot products are the bottleneck; with one row, memory bandwidth is. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_

#include "backends/cpu/microkernels/gemm_qbw.h"
#include "backends/cpu/schema/kernel_sizes.h"

/* Operands of a GEMM with dynamically quantized rows. Minima and residuals are not supported. */
typedef struct et_cpu_gemm_qd8 {
  et_cpu_gemm_qbw weights;
  /* With 8 bits: sums of the quantized values of each group, in the layout of the scales. */
  const int32_t *sums;
  /* With 4 bits: sums of the weights of each column, in the layout of the bias. If NULL, they are
   * computed on each call. */
  const float *column_sums;
} et_cpu_gemm_qd8;

typedef void et_cpu_gemm_qd8_function(const et_cpu_gemm_qd8 *product,
                                      const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_gemm_qd8_function, et_cpu_gemm_qd8);      /* 8 bits */
ET_CPU_DECLARE(et_cpu_gemm_qd8_function, et_cpu_gemm_qd8_qb4w); /* 4 bits */

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_ */
