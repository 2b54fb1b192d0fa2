/* Float32 GEMM with packed weights: y = activation(x * W + bias + residual).
 *
 * x is [rows, K], W is [K, N], y is [rows, N]. Weights are panels of 16 columns, so a row of a
 * panel is one AVX-512 vector or two AVX2 vectors, and every instruction set reads the same
 * file. The register tile (tile.h) has 6 rows by 16 columns with AVX2 and NEON, by up to 64 with
 * AVX-512. K is split into blocks of at most 384 (AVX-512: 768), so that a block of the panels
 * stays in cache for all rows. Multiply-adds are the bottleneck; with one row, weight reads
 * are. */
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

/* Rows and columns to compute. The first column is the first of a panel. */
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
