/* y = activation(x * weights + bias) of floats, in whole numbers: each row of x
 * becomes bytes by the range that it and zero take. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_

#include "backends/cpu/microkernels/gemm_qbw.h"

/* Most weights of a group: their sums are exact, and they fit the stack. */
#define ET_CPU_GROUP_I8 512

/* Weights are as those of et_cpu_gemm_qbw; there is no residual. */
typedef struct et_cpu_gemm_qd8 {
  et_cpu_gemm_qbw weights;
  const int32_t *sums; /* with 8 bits: of a group's codes, like scales */
  const float
      *column_sums; /* with 4 bits: of a column's weights, like the bias;
                               NULL: they are added up on the way */
} et_cpu_gemm_qd8;

typedef void et_cpu_gemm_qd8_function(const et_cpu_gemm_qd8 *product,
                                      const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_gemm_qd8_function, et_cpu_gemm_qd8);      /* 8 bits */
ET_CPU_DECLARE(et_cpu_gemm_qd8_function, et_cpu_gemm_qd8_qb4w); /* 4 bits */

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_QD8_H_ */
