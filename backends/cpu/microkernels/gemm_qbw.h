/* y = activation(x @ weights + bias + residual) with 4-bit or 8-bit weights.
 *
 * x is [rows, K] and y is [rows, N], both float32. A 32-bit word has 32 / bits consecutive signed
 * weights of a column, the first one in the lowest bits. Columns are in panels of 16, [ceil(N /
 * 16)][K * bits / 32][16], so a vector load reads one word per column. With 4 bits:
 *   panel 0: w[0..7][n=0]   w[0..7][n=1]   ... w[0..7][n=15]
 *            w[8..15][n=0]  w[8..15][n=1]  ... w[8..15][n=15]
 * Each group of consecutive weights of a column has a scale, and a zero point or a minimum.
 * - et_cpu_gemm_qbw_rows, for several rows, widens each block of weights to float32 once, for the
 *   tiles of gemm_f32. It is bound by arithmetic.
 * - et_cpu_gemm_qbw_row, for one row, reads each weight once. With 4-bit weights, elements of x are
 *   fixed-point values of three int8 digits (digits.h), and dot products use integers. It is bound
 *   by memory bandwidth, so it prefetches far ahead. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_QBW_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_QBW_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/gemm_f32.h"

/* Dtype of scales, zero points and minima. */
typedef enum et_cpu_width {
  ET_CPU_FLOAT32,
  ET_CPU_FLOAT16,
  ET_CPU_BFLOAT16,
} et_cpu_width;

/* Parameters, one per group: [ceil(columns / 16)][depth / group][16]. */
typedef struct et_cpu_parameters {
  const void *data; /* or NULL */
  et_cpu_width width;
} et_cpu_parameters;

/* A weight is (q - zero_point) * scale or, with minima, (q + 2^(bits - 1)) * scale + minimum. Each
 * group fills complete words. */
typedef struct et_cpu_gemm_qbw {
  const float *x;       /* [rows][depth] */
  const int32_t *words; /* [ceil(columns / 16)][depth * bits / 32][16] */
  et_cpu_parameters scales;
  et_cpu_parameters zero_points; /* or absent */
  et_cpu_parameters minima;      /* or absent; never with zero points */
  const float *bias;             /* [ceil(columns / 16) * 16] */
  const float *residual;         /* [rows][columns], or NULL */
  float *out;                    /* [rows][columns] */
  size_t depth;
  size_t columns;
  size_t group; /* weights per scale */
  size_t bits;  /* 4 or 8 */
  et_cpu_activation activation;
} et_cpu_gemm_qbw;

/* Computes several rows. */
typedef void et_cpu_gemm_qbw_function(const et_cpu_gemm_qbw *product,
                                      const et_cpu_range *range);

/* A range of panels of several GEMMs of the same row. Panels are counted over all GEMMs. */
typedef struct et_cpu_panels_q {
  /* The GEMMs differ only in weights, bias and output. */
  const et_cpu_gemm_qbw *products;
  size_t first; /* first panel */
  size_t end;
} et_cpu_panels_q;

/* Computes one row. */
typedef void et_cpu_gemm_qbw_row_function(const et_cpu_panels_q *panels);

ET_CPU_DECLARE(et_cpu_gemm_qbw_function, et_cpu_gemm_qbw_rows);
ET_CPU_DECLARE(et_cpu_gemm_qbw_row_function, et_cpu_gemm_qbw_row);

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_QBW_H_ */
