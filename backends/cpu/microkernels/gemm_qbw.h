/* y = activation(x * weights + bias + residual) in float, of weights that are
 * codes of 4 or 8 bits in groups of one scale. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_QBW_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_QBW_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/gemm_f32.h"

/* What scales and zero points are. */
typedef enum et_cpu_width {
  ET_CPU_FLOAT32,
  ET_CPU_FLOAT16,
  ET_CPU_BFLOAT16,
} et_cpu_width;

/* One for each group of each column: [ceil(columns / 16)][depth / group][16]. */
typedef struct et_cpu_parameters {
  const void *data; /* NULL: there are none */
  et_cpu_width width;
} et_cpu_parameters;

/* A word has the codes of 32 / bits consecutive weights of a column, signed, the
 * first in the lowest bits. Groups are whole words. A weight is (code - zero point)
 * * scale or, where there are minima, what its code is above the lowest one
 * * scale + minimum. */
typedef struct et_cpu_gemm_qbw {
  const float *x;       /* [rows][depth] */
  const int32_t *words; /* [ceil(columns / 16)][depth * bits / 32][16] */
  et_cpu_parameters scales;
  et_cpu_parameters zero_points; /* or none */
  et_cpu_parameters minima;      /* or none; then no zero points either */
  const float *bias;             /* [ceil(columns / 16) * 16] */
  const float *residual;         /* [rows][columns], or NULL */
  float *out;                    /* [rows][columns] */
  size_t depth;
  size_t columns;
  size_t group; /* weights */
  size_t bits;  /* 4 or 8 */
  et_cpu_activation activation;
} et_cpu_gemm_qbw;

/* Of several rows: weights become floats a block at a time, which a tile then
 * multiplies. */
typedef void et_cpu_gemm_qbw_function(const et_cpu_gemm_qbw *product,
                                      const et_cpu_range *range);

/* Panels of some products of the same row, counted over all of them. */
typedef struct et_cpu_panels_q {
  const et_cpu_gemm_qbw *products; /* alike but for weights, bias and results */
  size_t first;                    /* panel */
  size_t end;
} et_cpu_panels_q;

/* Of one row each weight is read once: sums of codes, times scales. */
typedef void et_cpu_gemm_qbw_row_function(const et_cpu_panels_q *panels);

ET_CPU_DECLARE(et_cpu_gemm_qbw_function, et_cpu_gemm_qbw_rows);
ET_CPU_DECLARE(et_cpu_gemm_qbw_row_function, et_cpu_gemm_qbw_row);

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_QBW_H_ */
