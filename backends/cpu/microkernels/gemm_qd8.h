/* y = activation(x @ weights + bias) with dynamically quantized activations.
 *
 * Each row of x is quantized to 8 bits over the range of its elements, extended to include 0.
 * Products of a group are summed exactly in int32, corrected by the zero point of the row with
 * precomputed sums of weights, and scaled. Weights are packed as in gemm_qbw.h: a word has eight
 * 4-bit weights or a quad of 8-bit weights.
 * - et_cpu_gemm_qd8_qb4w unpacks a vector of words to bytes once for up to 12 rows (AVX-512) or
 *   6 rows, whose accumulators fill the registers.
 * - et_cpu_gemm_qd8 packs rows for the int8 tiles of tile_i8.h.
 * Many rows are bound by int8 dot products; one row is bound by memory bandwidth. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_

#include "backends/cpu/microkernels/gemm_qbw.h"

/* Maximum group size for which sums of a group are exact and its rows fit on the stack. */
#define ET_CPU_QD8_MAX_GROUP 512

/* Operands of a GEMM of dynamically quantized rows. Minima and residuals are not supported. */
typedef struct et_cpu_gemm_qd8 {
  et_cpu_gemm_qbw weights;
  const int32_t
      *sums; /* with 8 bits: of quantized values of a group, like scales */
  const float
      *column_sums; /* with 4 bits: of weights of a column, like the bias, or
                          NULL: they are computed in each call */
} et_cpu_gemm_qd8;

typedef void et_cpu_gemm_qd8_function(const et_cpu_gemm_qd8 *product,
                                      const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_gemm_qd8_function, et_cpu_gemm_qd8);      /* 8 bits */
ET_CPU_DECLARE(et_cpu_gemm_qd8_function, et_cpu_gemm_qd8_qb4w); /* 4 bits */

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_ */
