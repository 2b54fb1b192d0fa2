/* y = activation(x * weights + bias + residual) in float, of packed weights. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_F32_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_F32_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"

/* Every matrix is dense. */
typedef struct et_cpu_gemm {
  const float *x;        /* [rows][depth] */
  const float *panels;   /* [ceil(columns / 16)][depth][16] */
  const float *bias;     /* [ceil(columns / 16) * 16] */
  const float *residual; /* [rows][columns], or NULL */
  float *out;            /* [rows][columns] */
  size_t depth;
  size_t columns;
  et_cpu_activation activation;
} et_cpu_gemm;

/* Rows and columns that are computed. The first column is one of a panel. */
typedef struct et_cpu_range {
  size_t first_row;
  size_t rows;
  size_t first_column;
  size_t columns;
} et_cpu_range;

typedef void et_cpu_gemm_f32_function(const et_cpu_gemm *product,
                                      const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_gemm_f32_function, et_cpu_gemm_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_F32_H_ */
