/* Float32 GEMM with packed weights: y = activation(x * W + bias + residual).
 *
 * x is [rows, K], W is [K, N], y is [rows, N]. Weights are panels of 16 columns, [ceil(N /
 * 16)][K][16]:
 *   panel 0: w[k=0][0..15]   w[k=1][0..15]   ... w[k=K-1][0..15]
 *   panel 1: w[k=0][16..31]  w[k=1][16..31]  ... w[k=K-1][16..31]
 * A row of a panel is one AVX-512 vector or two AVX2 vectors, so all instruction sets share one
 * format. The register tile (tile.h) has 6 rows by 16 columns with AVX2 and NEON, and 6 rows by up
 * to 64 columns with AVX-512. K is split into blocks of at most 384 (AVX-512: 768) elements, so
 * that a block of the panels stays in cache for all rows. Multiply-adds are the bottleneck; with
 * one row, weight loads are. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_F32_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_F32_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"

/* All matrices are dense. */
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

/* Rows and columns to compute. `first_column` is the first column of a panel. */
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
